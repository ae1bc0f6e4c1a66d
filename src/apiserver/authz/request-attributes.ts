/** From the description of a request to what authorizers judge. */
import { type FieldTerm, parseFieldSelector } from '../../machinery/field-selector.ts';
import type { Requirement } from '../../machinery/label-selector.ts';
import { parseLabelSelector } from '../../machinery/label-selector-text.ts';
import type { UserInfo } from '../../machinery/user.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { AuthorizationAttributes } from '../../auth/authorization/authorizer.ts';

/**
 * What a request asks for. Selectors are read when an authorizer asks for them: they can be long, and the caller may
 * have no rights at all. One that cannot be read is refused later, for what it is.
 */
export function requestAttributes(user: UserInfo, info: RequestInfo): AuthorizationAttributes {
  const { verb, group, version, namespace, resource, subresource, name, path, isResourceRequest } = info;
  const attributes = { user, verb, group, version, namespace, resource, subresource, name, path, isResourceRequest };
  if (info.fieldSelector === '' && info.labelSelector === '') return attributes;
  let fields: readonly FieldTerm[] | undefined;
  let labels: readonly Requirement[] | undefined;
  return {
    ...attributes,
    get fieldSelector() {
      return (fields ??= readable(info.fieldSelector, parseFieldSelector));
    },
    get labelSelector() {
      return (labels ??= readable(info.labelSelector, parseLabelSelector));
    },
  };
}

function readable<T>(text: string, parse: (text: string) => readonly T[]): readonly T[] {
  try {
    return text === '' ? [] : parse(text);
  } catch {
    return [];
  }
}
