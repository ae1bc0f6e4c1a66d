import { StatusError } from '../../machinery/status.ts';
import type { RequestInfo } from '../request-info.ts';
import type { Filter } from '../request.ts';
import type { UserInfo } from '../../machinery/user.ts';

/** What an authorizer judges. @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authorization/ | Authorization} */
export interface AuthorizationAttributes extends Pick<RequestInfo, 'verb' | 'group' | 'version' | 'namespace' | 'resource' | 'subresource' | 'name' | 'path' | 'isResourceRequest'> {
  readonly user: UserInfo;
}

export interface AuthorizationDecision {
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  readonly reason: string;
}

export interface Authorizer {
  authorize(attributes: AuthorizationAttributes): Promise<AuthorizationDecision> | AuthorizationDecision;
  /** What a user may do in a namespace, for an authorizer that can tell without being asked about each thing. */
  rulesFor?(user: UserInfo, namespace: string): Promise<AuthorizationRules> | AuthorizationRules;
}

export interface AuthorizationRules {
  readonly resourceRules: readonly { readonly verbs: readonly string[]; readonly apiGroups?: readonly string[]; readonly resources?: readonly string[]; readonly resourceNames?: readonly string[] }[];
  readonly nonResourceRules: readonly { readonly verbs: readonly string[]; readonly nonResourceURLs?: readonly string[] }[];
  /** Whether there may be rules that could not be listed. */
  readonly incomplete: boolean;
}

export function authorize(authorizer: Authorizer): Filter {
  return async (request, next) => {
    const pending = authorizer.authorize({ ...request.info, user: request.user });
    const { decision, reason } = pending instanceof Promise ? await pending : pending;
    if (decision !== 'allow') throw forbiddenRequest(request.user, request.info, reason);
    return next(request);
  };
}

/** 403 in the words clients know: who cannot do what to which resource, where. */
export function forbiddenRequest(user: UserInfo, info: RequestInfo, reason: string): StatusError {
  const message = `User ${JSON.stringify(user.name)} cannot ${info.verb} ${what(info)}${reason === '' ? '' : `: ${reason}`}`;
  if (!info.isResourceRequest) return new StatusError(403, 'Forbidden', `forbidden: ${message}`, {});
  const qualified = info.group === '' ? info.resource : `${info.resource}.${info.group}`;
  const subject = info.name === '' ? `${qualified} is forbidden` : `${qualified} ${JSON.stringify(info.name)} is forbidden`;
  return new StatusError(403, 'Forbidden', `${subject}: ${message}`, {
    ...(info.name === '' ? {} : { name: info.name }),
    ...(info.group === '' ? {} : { group: info.group }),
    kind: info.resource,
  });
}

function what(info: RequestInfo): string {
  if (!info.isResourceRequest) return `path ${JSON.stringify(info.path)}`;
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  const scope = info.namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(info.namespace)}`;
  return `resource ${JSON.stringify(resource)} in API group ${JSON.stringify(info.group)} ${scope}`;
}
