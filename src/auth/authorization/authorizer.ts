/**
 * What an authorizer judges and says.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authorization/ | Authorization}
 */
import type { FieldTerm } from '../../machinery/field-selector.ts';
import type { Requirement } from '../../machinery/label-selector.ts';
import type { UserInfo } from '../../machinery/user.ts';

export interface AuthorizationAttributes {
  readonly user: UserInfo;
  /** Of the API, like `list`; else the method in lower case. */
  readonly verb: string;
  /** Whether it is for a resource, which the members up to `name` say; else for a path. */
  readonly isResourceRequest: boolean;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly path: string;
  /** What a list, watch or deletecollection is narrowed down to; absent when nothing is, or when it cannot be read. */
  readonly fieldSelector?: readonly FieldTerm[];
  readonly labelSelector?: readonly Requirement[];
}

export interface AuthorizationDecision {
  /** `noOpinion`: other authorizers may allow it; when none does, it is forbidden. */
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  /** For the log and for the client that is refused. */
  readonly reason: string;
  /** What went wrong while deciding. A decision can stand all the same. */
  readonly error?: string;
}

/** How judging a request ended, as metrics count it. */
export type AuthorizationResult = 'allowed' | 'denied' | 'no-opinion' | 'error';

export interface Authorizer {
  authorize(attributes: AuthorizationAttributes): Promise<AuthorizationDecision> | AuthorizationDecision;
  /** What a user may do in a namespace. Absent: this authorizer cannot list rights. */
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

/** The members for selectors, left out where they select everything. */
export const selectors = (
  fieldSelector: readonly FieldTerm[],
  labelSelector: readonly Requirement[],
): Pick<AuthorizationAttributes, 'fieldSelector' | 'labelSelector'> => ({
  ...(fieldSelector.length === 0 ? {} : { fieldSelector }),
  ...(labelSelector.length === 0 ? {} : { labelSelector }),
});
