/**
 * Privilege escalation prevention: writing a role needs every right that is in it, writing a binding every right of its
 * role, unless verb `escalate` or `bind` was granted. Applies in every authorization mode.
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping |
 *   Privilege escalation prevention}
 */
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
} from '../../../api/gen/types/rbac-v1.ts';
import { describeMissing, missingRules, quoteAll } from '../../../api/rbac/covers.ts';
import { rbacGroup } from '../../../api/rbac/defaults.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import type { KubeObject } from '../../../machinery/object-meta.ts';
import { forbidden } from '../../../machinery/status.ts';
import type { UserInfo } from '../../../machinery/user.ts';
import { isOnlyForCollection } from '../../../registry/generic/collection-change.ts';
import { nothingBegun, type WriteHooks, type WriteRequest } from '../../../registry/generic/write.ts';
import { type Authorizer, privilegedGroup } from '../../../auth/authorization/authorizer.ts';
import type { RbacPolicy } from './policy.ts';

export interface EscalationOptions {
  readonly authorizer: Authorizer;
  readonly policy: () => RbacPolicy | Promise<RbacPolicy>;
}

type AnyRole = Role | ClusterRole;
type AnyBinding = RoleBinding | ClusterRoleBinding;
type Check<T> = (object: T, old: T | undefined, request: WriteRequest) => Promise<void>;

/** By `group/resource`, for the catalog. */
export function createEscalationHooks(options: EscalationOptions): ReadonlyMap<string, WriteHooks> {
  const hooks = (resource: string, check: Check<never>): [string, WriteHooks] => [
    `${rbacGroup}/${resource}`,
    hooksOf(check as unknown as Check<KubeObject>),
  ];
  return new Map([
    hooks('roles', roleCheck(options, 'roles')),
    hooks('clusterroles', roleCheck(options, 'clusterroles')),
    hooks('rolebindings', bindingCheck(options, 'rolebindings')),
    hooks('clusterrolebindings', bindingCheck(options, 'clusterrolebindings')),
  ]);
}

const hooksOf = (check: Check<KubeObject>): WriteHooks => ({
  beginCreate: async (object, request) => {
    if (!isPrivileged(request.context.user)) await check(object, undefined, request);
    return nothingBegun;
  },
  // What the garbage collector changes grants nothing.
  beginUpdate: async (object, old, request) => {
    if (!isPrivileged(request.context.user) && !isOnlyForCollection(object, old)) await check(object, old, request);
    return nothingBegun;
  },
});

const isPrivileged = ({ groups }: UserInfo): boolean => groups.includes(privilegedGroup);

function roleCheck(options: EscalationOptions, resource: 'roles' | 'clusterroles'): Check<AnyRole> {
  return async (role, old, request) => {
    if (await mayEscalate(options, resource, request)) return;
    const refuse = (why: string): Error => forbidden({ group: rbacGroup, resource }, role.metadata.name ?? '', why);
    const problem = await escalation(options, role.rules ?? [], request);
    if (problem !== undefined) throw refuse(problem);
    if (!isAggregated(role) && !isAggregated(old)) return;
    // It can gather anything.
    if ((await escalation(options, everything, request)) !== undefined)
      throw refuse('must have cluster-admin privileges to use an aggregationRule');
  };
}

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

const isAggregated = (role: AnyRole | undefined): boolean =>
  (role as ClusterRole | undefined)?.aggregationRule !== undefined;

function bindingCheck(options: EscalationOptions, resource: 'rolebindings' | 'clusterrolebindings'): Check<AnyBinding> {
  return async (binding, _old, request) => {
    const { roleRef, metadata } = binding;
    if (await mayBind(options, roleRef, request)) return;
    const policy = await options.policy();
    const problem = await escalation(options, policy.rulesOfRole(roleRef, request.namespace), request);
    if (problem !== undefined) throw forbidden({ group: rbacGroup, resource }, metadata.name ?? '', problem);
  };
}

const isAllowed = async (
  { authorizer }: EscalationOptions,
  { context, namespace }: WriteRequest,
  verb: string,
  group: string,
  resource: string,
  name: string,
): Promise<boolean> => {
  const attributes = {
    user: context.user,
    verb,
    group,
    version: '*',
    resource,
    subresource: '',
    namespace,
    name,
    path: '',
    isResourceRequest: true,
  };
  return (await authorizer.authorize(attributes)).decision === 'allow';
};

const mayEscalate = (options: EscalationOptions, resource: string, request: WriteRequest): Promise<boolean> =>
  isAllowed(options, request, 'escalate', rbacGroup, resource, request.name);

async function mayBind(
  options: EscalationOptions,
  { apiGroup = '', kind, name = '' }: RoleRef,
  request: WriteRequest,
): Promise<boolean> {
  const resource = kind === 'ClusterRole' ? 'clusterroles' : kind === 'Role' ? 'roles' : undefined;
  return resource !== undefined && isAllowed(options, request, 'bind', apiGroup, resource, name);
}

/** What the user would grant without having it, told as upstream does; undefined when there is nothing. */
async function escalation(
  { policy }: EscalationOptions,
  wanted: readonly PolicyRule[],
  { context: { user }, namespace }: WriteRequest,
): Promise<string | undefined> {
  const { rules, missing } = (await policy()).rulesOf(user, namespace);
  const lacking = missingRules(rules, wanted);
  if (lacking.parts.length === 0 && !lacking.isCut) return undefined;
  const unresolved = missing.length === 0 ? '' : `; resolution errors: [${missing.join(' ')}]`;
  return (
    `user ${goQuote(user.name)} (groups=${quoteAll(user.groups)}) is attempting to grant RBAC permissions not ` +
    `currently held:\n${describeMissing(lacking).join('\n')}${unresolved}`
  );
}
