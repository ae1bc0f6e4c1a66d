/**
 * Roles and bindings as decisions need them: bindings by subject, roles by name. The objects are the cache's own; what
 * is kept beside them are indexes, and those of a subject are made when it first asks after a change.
 */
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
} from '../../../api/gen/types/rbac-v1.ts';
import { rbacGroup } from '../../../api/rbac/defaults.ts';
import { isStatusError, notFound } from '../../../machinery/status.ts';
import type { UserInfo } from '../../../machinery/user.ts';
import { Grants } from './grants.ts';
import { type AnyBinding, type Bound, type BoundSubject, describeBound, SubjectIndex } from './subjects.ts';

/** Rules that a user has, and roles that could not be found. */
export interface UserRules {
  readonly rules: readonly PolicyRule[];
  readonly missing: readonly string[];
}

export class RbacPolicy {
  readonly #clusterRoles = new Map<string, ClusterRole>();
  readonly #roles = new Map<string, Role>();
  readonly #cluster = new SubjectIndex();
  readonly #namespaces = new Map<string, SubjectIndex>();
  #rolesVersion = 0;

  changeRole(before: Role | ClusterRole | undefined, after: Role | ClusterRole | undefined): void {
    this.#rolesVersion++;
    if (before !== undefined) this.#mapOf(before).delete(keyOf(before));
    if (after !== undefined) this.#mapOf(after).set(keyOf(after), after);
  }

  changeBinding(before: AnyBinding | undefined, after: AnyBinding | undefined): void {
    if (before !== undefined) this.#removeBinding(before);
    if (after !== undefined) this.#indexOf(after).add(after);
  }

  /** The subjects that a user is in the whole cluster, then those in a namespace, where there is one. */
  *subjects(user: UserInfo, namespace: string): Generator<BoundSubject> {
    yield* this.#cluster.of(user);
    if (namespace !== '') yield* this.#namespaces.get(namespace)?.of(user) ?? [];
  }

  /** What a subject may do. */
  grantsOf(subject: BoundSubject): Grants {
    if (subject.grants === undefined || subject.rolesVersion !== this.#rolesVersion) this.#collect(subject);
    return subject.grants!;
  }

  rulesOf(user: UserInfo, namespace: string): UserRules {
    const rules: PolicyRule[] = [];
    const missing: string[] = [];
    const seen = new Set<AnyBinding>();
    for (const subject of this.subjects(user, namespace)) {
      for (const { binding } of subject.bindings.values()) {
        if (seen.has(binding)) continue;
        seen.add(binding);
        for (const rule of this.#rulesOrNone(binding, missing)) rules.push(rule);
      }
    }
    return { rules, missing };
  }

  /** Throws 404 when the role is not there. @param namespace of the binding */
  rulesOfRole({ kind, name = '' }: RoleRef, namespace: string): readonly PolicyRule[] {
    const role =
      kind === 'ClusterRole'
        ? this.#clusterRoles.get(name)
        : kind === 'Role'
          ? this.#roles.get(`${namespace}/${name}`)
          : undefined;
    if (role === undefined) throw notFound({ group: rbacGroup, resource: (kind ?? '').toLowerCase() }, name);
    return role.rules ?? [];
  }

  #collect(subject: BoundSubject): void {
    const missing: string[] = [];
    subject.grants = new Grants(
      [...subject.bindings.values()].map((bound: Bound) => ({
        rules: this.#rulesOrNone(bound.binding, missing),
        describe: () => describeBound(bound),
      })),
    );
    subject.missing = missing;
    subject.rolesVersion = this.#rolesVersion;
  }

  #rulesOrNone({ roleRef, metadata }: AnyBinding, missing: string[]): readonly PolicyRule[] {
    try {
      return this.rulesOfRole(roleRef, metadata.namespace ?? '');
    } catch (error) {
      if (!isStatusError(error)) throw error;
      missing.push(error.message);
      return [];
    }
  }

  #mapOf(role: Role | ClusterRole): Map<string, Role | ClusterRole> {
    return (role.metadata.namespace ?? '') === '' ? this.#clusterRoles : this.#roles;
  }

  #indexOf(binding: ClusterRoleBinding | RoleBinding): SubjectIndex {
    const namespace = binding.metadata.namespace ?? '';
    if (namespace === '') return this.#cluster;
    let index = this.#namespaces.get(namespace);
    if (index === undefined) this.#namespaces.set(namespace, (index = new SubjectIndex()));
    return index;
  }

  #removeBinding(binding: AnyBinding): void {
    const index = this.#indexOf(binding);
    index.remove(binding);
    const namespace = binding.metadata.namespace ?? '';
    if (namespace !== '' && index.isEmpty) this.#namespaces.delete(namespace);
  }
}

const keyOf = ({ metadata: { namespace = '', name = '' } }: Role | ClusterRole): string =>
  namespace === '' ? name : `${namespace}/${name}`;
