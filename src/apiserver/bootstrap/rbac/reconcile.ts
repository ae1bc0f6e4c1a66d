/**
 * Keeps the default roles and bindings: makes those that are missing, and gives back the rules, subjects, labels and
 * annotations that were taken from the others. What was added stays. An object that says `autoupdate: "false"` is left
 * alone.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/rbac/#auto-reconciliation | Auto-reconciliation}
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  AggregationRule,
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  RoleRef,
  Subject,
} from '../../../api/gen/types/rbac-v1.ts';
import { missingRules } from '../../../api/rbac/covers.ts';
import { rbacGroup } from '../../../api/rbac/defaults.ts';
import { isEqual } from '../../../machinery/equal.ts';
import type { KubeObject } from '../../../machinery/object-meta.ts';
import { isStatusError } from '../../../machinery/status.ts';
import type { LoopbackClient, ObjectName } from '../../loopback/loopback-client.ts';
import { autoUpdateAnnotation, type BootstrapPolicy } from '../../authz/rbac/bootstrap-policy/policy.ts';

/** Roles and bindings, whatever their scope. */
type RoleObject = KubeObject & { rules?: PolicyRule[]; aggregationRule?: AggregationRule };
type BindingObject = KubeObject & { roleRef: RoleRef; subjects?: Subject[] };

/** What is there, by resource. */
export interface ExistingObjects {
  list<T extends KubeObject>(group: string, resource: string): Promise<readonly T[]>;
}

/** In this order, so that no binding is there before its role. The namespaces must be there. */
export async function reconcilePolicy(
  policy: BootstrapPolicy,
  writer: LoopbackClient,
  existing: ExistingObjects,
): Promise<void> {
  if (!writer.isServed({ group: rbacGroup, resource: 'clusterroles' })) return;
  await moveToAggregated(writer, existing);
  await reconcileAll(writer, existing, 'clusterroles', policy.clusterRoles, changedRole);
  await splitBinding(writer, existing);
  await reconcileAll(writer, existing, 'clusterrolebindings', policy.clusterRoleBindings, changedBinding);
  await reconcileAll(writer, existing, 'roles', policy.roles, changedRole);
  await reconcileAll(writer, existing, 'rolebindings', policy.roleBindings, changedBinding);
}

async function reconcileAll<T extends KubeObject>(
  writer: LoopbackClient,
  existing: ExistingObjects,
  resource: string,
  wanted: readonly T[],
  change: (current: T, wanted: T) => T | undefined,
): Promise<void> {
  const there = new Map((await existing.list<T>(rbacGroup, resource)).map((object) => [keyOf(object), object]));
  for (let start = 0; start < wanted.length; start += atOnce) {
    await Promise.all(
      wanted
        .slice(start, start + atOnce)
        .map((object) => reconcileOne(writer, nameOf(resource, object), object, there.get(keyOf(object)), change)),
    );
    // Requests of clients go first.
    await nextTurn();
  }
}

/** So many share a commit of the store. */
const atOnce = 16;

const keyOf = ({ metadata }: KubeObject): string => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;

const nameOf = (resource: string, { metadata }: KubeObject): ObjectName => ({
  group: rbacGroup,
  resource,
  namespace: metadata?.namespace ?? '',
  name: metadata?.name ?? '',
});

async function reconcileOne<T extends KubeObject>(
  writer: LoopbackClient,
  name: ObjectName,
  wanted: T,
  current: T | undefined,
  change: (current: T, wanted: T) => T | undefined,
): Promise<void> {
  if (current === undefined) return writer.create(name, wanted);
  if (isProtected(current) || !needsChange(current, wanted, change)) return undefined;
  if (pointsElsewhere(current, wanted)) {
    // The role of a binding cannot be changed.
    await writer.remove(name).catch(ignoreNotFound);
    return writer.create(name, wanted);
  }
  return writer.change<T>(name, (object) => {
    if (isProtected(object)) return;
    Object.assign(object, change(object, wanted));
    for (const member of ['labels', 'annotations'] as const)
      object.metadata = {
        ...object.metadata,
        [member]: { ...wanted.metadata?.[member], ...object.metadata?.[member] },
      };
  });
}

const isProtected = ({ metadata }: KubeObject): boolean => metadata?.annotations?.[autoUpdateAnnotation] === 'false';

const needsChange = <T extends KubeObject>(
  current: T,
  wanted: T,
  change: (current: T, wanted: T) => T | undefined,
): boolean =>
  change(current, wanted) !== undefined ||
  pointsElsewhere(current, wanted) ||
  lacks(current.metadata?.labels, wanted.metadata?.labels) ||
  lacks(current.metadata?.annotations, wanted.metadata?.annotations);

const lacks = (
  current: Readonly<Record<string, string>> = {},
  wanted: Readonly<Record<string, string>> = {},
): boolean => Object.keys(wanted).some((key) => !Object.hasOwn(current, key));

const pointsElsewhere = (
  current: KubeObject & { roleRef?: RoleRef },
  wanted: KubeObject & { roleRef?: RoleRef },
): boolean =>
  wanted.roleRef !== undefined &&
  (current.roleRef?.kind !== wanted.roleRef.kind ||
    current.roleRef?.name !== wanted.roleRef.name ||
    current.roleRef?.apiGroup !== wanted.roleRef.apiGroup);

function changedRole<T extends RoleObject>(current: T, wanted: T): T | undefined {
  const selectors = current.aggregationRule?.clusterRoleSelectors ?? [];
  const missingSelectors = (wanted.aggregationRule?.clusterRoleSelectors ?? []).filter(
    (selector) => !selectors.some((own) => isEqual(own, selector)),
  );
  if (missingSelectors.length > 0)
    return { ...current, aggregationRule: { clusterRoleSelectors: [...selectors, ...missingSelectors] } };
  // The rules of an aggregated role are the controller's.
  if (wanted.aggregationRule !== undefined) return undefined;
  const { parts, isCut } = missingRules(current.rules ?? [], wanted.rules ?? []);
  // What is too much to be compared gets all of it.
  const missing = isCut ? (wanted.rules ?? []) : parts;
  return missing.length === 0 ? undefined : { ...current, rules: [...(current.rules ?? []), ...missing] };
}

function changedBinding<T extends BindingObject>(current: T, wanted: T): T | undefined {
  const subjects = current.subjects ?? [];
  const missing = (wanted.subjects ?? []).filter(
    (subject) =>
      !subjects.some(
        (own) =>
          own.kind === subject.kind && own.name === subject.name && (own.namespace ?? '') === (subject.namespace ?? ''),
      ),
  );
  return missing.length === 0 ? undefined : { ...current, subjects: [...subjects, ...missing] };
}

/** Data of clusters from before 1.9: what was added to a role that is now made of others moves into one of them. */
async function moveToAggregated(writer: LoopbackClient, existing: ExistingObjects): Promise<void> {
  const roles = new Map(
    (await existing.list<ClusterRole>(rbacGroup, 'clusterroles')).map((role) => [role.metadata.name, role]),
  );
  for (const name of ['admin', 'edit', 'view']) {
    const part = `system:aggregate-to-${name}`;
    const old = roles.get(name);
    if (old === undefined || old.aggregationRule !== undefined || roles.has(part)) continue;
    await writer.create(nameOf('clusterroles', { metadata: { name: part } }), {
      ...copyOf(old),
      rules: structuredClone(old.rules ?? []),
    } as ClusterRole);
  }
}

/**
 * Data of clusters from before 1.14: subjects that had discovery keep the part of it that has its own role now.
 */
async function splitBinding(writer: LoopbackClient, existing: ExistingObjects): Promise<void> {
  const bindings = new Map(
    (await existing.list<ClusterRoleBinding>(rbacGroup, 'clusterrolebindings')).map((binding) => [
      binding.metadata.name,
      binding,
    ]),
  );
  const name = 'system:public-info-viewer';
  const old = bindings.get('system:discovery');
  if (old === undefined || bindings.has(name)) return;
  const object = {
    ...copyOf(old),
    roleRef: { ...old.roleRef, name },
    ...(old.subjects === undefined ? {} : { subjects: structuredClone(old.subjects) }),
  };
  await writer.create(nameOf('clusterrolebindings', { metadata: { name } }), object as ClusterRoleBinding);
}

const copyOf = ({ metadata }: KubeObject): KubeObject => ({
  metadata: { labels: { ...metadata?.labels }, annotations: { ...metadata?.annotations } },
});

function ignoreNotFound(error: unknown): void {
  if (!isStatusError(error) || error.reason !== 'NotFound') throw error;
}
