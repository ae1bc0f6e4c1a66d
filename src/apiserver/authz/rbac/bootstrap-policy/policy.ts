/**
 * The roles and bindings that every cluster has, as objects.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings | Default
 *   roles and role bindings}
 */
import type { ObjectMeta } from '../../../../api/gen/types/meta-v1.ts';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
  Subject,
} from '../../../../api/gen/types/rbac-v1.ts';
import { rbacGroup } from '../../../../api/rbac/defaults.ts';
import { type Binding, clusterBindings, namespacedBindings } from './bindings.ts';
import { componentRoles } from './component-roles.ts';
import { controllerRolePrefix, controllerRoles } from './controller-roles.ts';
import { gatedPolicies, type GatedPolicy } from './gated.ts';
import { namespacedRoles } from './namespaced-roles.ts';
import type { RuleTable } from './rules.ts';
import { userRoles } from './user-roles.ts';

export interface BootstrapPolicy {
  readonly clusterRoles: readonly ClusterRole[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
  readonly roles: readonly Role[];
  readonly roleBindings: readonly RoleBinding[];
}

/** `"false"` on an object keeps what was changed from being changed back. */
export const autoUpdateAnnotation = 'rbac.authorization.kubernetes.io/autoupdate';
const bootstrappingLabel = 'kubernetes.io/bootstrapping';
const aggregateTo = (role: string): string => `rbac.authorization.k8s.io/aggregate-to-${role}`;

/** Roles that are made of others: a controller gathers the rules of all that have the label. */
const aggregated: Readonly<Record<string, string | undefined>> = { admin: undefined, edit: 'admin', view: 'edit' };

export function bootstrapPolicy(enabled: (gate: string) => boolean): BootstrapPolicy {
  const gated = gatedPolicies.filter(({ gates }) => gates.every(enabled));
  const controllers = withGated(controllerRoles, gated, ({ controllers }) => controllers);
  const plain = withGated({ ...userRoles, ...componentRoles }, gated, ({ roles }) => roles);
  const bindings: Record<string, Binding> = Object.assign(
    {},
    clusterBindings,
    ...gated.map((policy) => policy.bindings),
  );
  for (const name of Object.keys(controllers))
    bindings[controllerRolePrefix + name] = {
      role: `ClusterRole/${controllerRolePrefix}${name}`,
      subjects: [`ServiceAccount/kube-system/${name}`],
    };
  return {
    clusterRoles: [
      ...Object.keys(aggregated).map(aggregatedRole),
      ...Object.entries(plain).map(
        ([name, rules]): ClusterRole => ({ metadata: meta(name, aggregateLabels(name)), rules: copies(rules) }),
      ),
      ...Object.entries(controllers).map(
        ([name, rules]): ClusterRole => ({ metadata: meta(controllerRolePrefix + name), rules: copies(rules) }),
      ),
    ],
    clusterRoleBindings: Object.entries(bindings).map(([name, binding]) => ({
      metadata: meta(name),
      ...boundTo(binding),
    })),
    roles: Object.entries(namespacedRoles).map(([path, rules]) => ({
      metadata: namespacedMeta(path),
      rules: copies(rules),
    })),
    roleBindings: Object.entries(namespacedBindings).map(([path, binding]) => ({
      metadata: namespacedMeta(path),
      ...boundTo(binding),
    })),
  };
}

function withGated(
  table: RuleTable,
  gated: readonly GatedPolicy[],
  more: (policy: GatedPolicy) => RuleTable | undefined,
): RuleTable {
  const roles: Record<string, readonly PolicyRule[]> = Object.assign({}, table, ...gated.map(more));
  for (const { adds = {} } of gated) {
    for (const name of Object.keys(adds)) {
      if (Object.hasOwn(roles, name)) roles[name] = [...roles[name]!, ...adds[name]!];
    }
  }
  return roles;
}

function aggregatedRole(name: string): ClusterRole {
  const into = aggregated[name];
  return {
    metadata: meta(name, into === undefined ? {} : { [aggregateTo(into)]: 'true' }),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregateTo(name)]: 'true' } }] },
  };
}

/** `system:aggregate-to-view` is a part of `view`. */
function aggregateLabels(name: string): Record<string, string> {
  const prefix = 'system:aggregate-to-';
  return name.startsWith(prefix) ? { [aggregateTo(name.slice(prefix.length))]: 'true' } : {};
}

const meta = (name: string, labels: Record<string, string> = {}): ObjectMeta => ({
  name,
  labels: { [bootstrappingLabel]: 'rbac-defaults', ...labels },
  annotations: { [autoUpdateAnnotation]: 'true' },
});

function namespacedMeta(path: string): ObjectMeta {
  const slash = path.indexOf('/');
  return { ...meta(path.slice(slash + 1)), namespace: path.slice(0, slash) };
}

/** The tables stay as they are, whatever becomes of the objects. */
const copies = (rules: readonly PolicyRule[]): PolicyRule[] => rules.map((rule) => structuredClone(rule));

function boundTo({ role, subjects }: Binding): { roleRef: RoleRef; subjects?: Subject[] } {
  const slash = role.indexOf('/');
  const roleRef = { apiGroup: rbacGroup, kind: role.slice(0, slash), name: role.slice(slash + 1) };
  return { roleRef, ...(subjects.length === 0 ? {} : { subjects: subjects.map(subjectOf) }) };
}

function subjectOf(text: string): Subject {
  const [kind = '', first = '', second = ''] = text.split('/');
  return kind === 'ServiceAccount'
    ? { kind, name: second, namespace: first }
    : { kind, apiGroup: rbacGroup, name: first };
}
