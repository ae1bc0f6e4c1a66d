/** Attributes as a SubjectAccessReview, for services that judge them and for conditions about them. */
import type { FieldTerm } from '../../../machinery/field-selector.ts';
import type { Requirement } from '../../../machinery/label-selector.ts';
import type { AuthorizationAttributes } from '../authorizer.ts';

/** `spec` of a review of authorization.k8s.io/v1. */
export interface ReviewSpec {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly resourceAttributes?: Readonly<Record<string, unknown>>;
  readonly nonResourceAttributes?: { readonly path: string; readonly verb: string };
}

/** @param withSelectors feature gate AuthorizeWithSelectors */
export function reviewSpec(attributes: AuthorizationAttributes, withSelectors: boolean): ReviewSpec {
  const { user, verb, path, isResourceRequest } = attributes;
  const { name, uid = '', groups, extra } = user;
  return {
    ...(isResourceRequest
      ? { resourceAttributes: resourceOf(attributes, withSelectors) }
      : { nonResourceAttributes: { path, verb } }),
    user: name,
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra === undefined ? {} : { extra }),
    ...(uid === '' ? {} : { uid }),
  };
}

function resourceOf(attributes: AuthorizationAttributes, withSelectors: boolean): Readonly<Record<string, unknown>> {
  const { namespace, verb, group, version, resource, subresource, name } = attributes;
  const texts = Object.entries({ namespace, verb, group, version, resource, subresource, name }).filter(
    ([, text]) => text !== '',
  );
  return { ...Object.fromEntries(texts), ...(withSelectors ? selectorsOf(attributes) : {}) };
}

function selectorsOf({
  fieldSelector = [],
  labelSelector = [],
}: AuthorizationAttributes): Readonly<Record<string, unknown>> {
  const labels = labelSelector.map(labelRequirement).filter((requirement) => requirement !== undefined);
  return {
    ...(fieldSelector.length > 0 ? { fieldSelector: { requirements: fieldSelector.map(fieldRequirement) } } : {}),
    ...(labels.length > 0 ? { labelSelector: { requirements: labels } } : {}),
  };
}

const fieldRequirement = ({ field, operator, value }: FieldTerm): object => ({
  key: field,
  operator: operator === '=' ? 'In' : 'NotIn',
  values: [value],
});

/** What cannot be said in a review is left out: the request is then judged as if it asked for more. */
function labelRequirement({ key, operator, values }: Requirement): object | undefined {
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return { key, operator: 'In', values };
    case '!=':
    case 'notin':
      return { key, operator: 'NotIn', values };
    case 'exists':
      return { key, operator: 'Exists' };
    case '!':
      return { key, operator: 'DoesNotExist' };
    default:
      return undefined;
  }
}
