/**
 * What an authorizer judges and says.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authorization/ | Authorization}
 */
import { type FieldTerm, parseFieldSelector } from '../../machinery/field-selector.ts';
import type { Requirement } from '../../machinery/label-selector.ts';
import { parseLabelSelector } from '../../machinery/label-selector-text.ts';
import type { UserInfo } from '../../machinery/user.ts';
import type { RequestInfo } from '../request-info.ts';

export interface AuthorizationAttributes
  extends Pick<
    RequestInfo,
    'verb' | 'group' | 'version' | 'namespace' | 'resource' | 'subresource' | 'name' | 'path' | 'isResourceRequest'
  > {
  readonly user: UserInfo;
  /** What a list, watch or deletecollection is narrowed down to; absent when nothing is, or when it cannot be read. */
  readonly fieldSelector?: readonly FieldTerm[];
  readonly labelSelector?: readonly Requirement[];
}

export interface AuthorizationDecision {
  /** `noOpinion`: others may allow it; when nobody does it is forbidden. */
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  /** For the log and for who is refused. */
  readonly reason: string;
  /** What went wrong while deciding. A decision can stand all the same. */
  readonly error?: string;
}

/** How judging a request ended, as metrics count it. */
export type AuthorizationResult = 'allowed' | 'denied' | 'no-opinion' | 'error';

export interface Authorizer {
  authorize(attributes: AuthorizationAttributes): Promise<AuthorizationDecision> | AuthorizationDecision;
  /** What a user may do in a namespace. Absent: nothing that could be listed follows from this authorizer. */
  rulesFor?(user: UserInfo, namespace: string): Promise<AuthorizationRules> | AuthorizationRules;
}

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface AuthorizationRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** Whether there may be rules that could not be listed. */
  readonly incomplete: boolean;
  /** Why not, in one text. */
  readonly error?: string;
}

export const noOpinion: AuthorizationDecision = { decision: 'noOpinion', reason: '' };

export const noRules: AuthorizationRules = { resourceRules: [], nonResourceRules: [], incomplete: false };

/** Members of this group may do everything, whatever the authorizers say. */
export const privilegedGroup = 'system:masters';

/** Several errors as one text. */
export function joinErrors(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`;
}

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

/** The members for selectors, left out where they select everything. */
export const selectors = (
  fieldSelector: readonly FieldTerm[],
  labelSelector: readonly Requirement[],
): Pick<AuthorizationAttributes, 'fieldSelector' | 'labelSelector'> => ({
  ...(fieldSelector.length === 0 ? {} : { fieldSelector }),
  ...(labelSelector.length === 0 ? {} : { labelSelector }),
});

function readable<T>(text: string, parse: (text: string) => readonly T[]): readonly T[] {
  try {
    return text === '' ? [] : parse(text);
  } catch {
    return [];
  }
}
