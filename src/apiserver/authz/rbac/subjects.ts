/** Bindings of one scope, a namespace or the whole cluster, by the subjects they name. */
import type { ClusterRoleBinding, RoleBinding, Subject } from '../../../api/gen/types/rbac-v1.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import type { UserInfo } from '../../../machinery/user.ts';
import type { Grants } from './grants.ts';

export type AnyBinding = ClusterRoleBinding | RoleBinding;

/** A binding, and which of its subjects it was found by. */
export interface Bound {
  readonly binding: AnyBinding;
  readonly subject: Subject;
}

/** All bindings of one subject. */
export interface BoundSubject {
  /** By name of the binding. */
  readonly bindings: Map<string, Bound>;
  /** The index over them; made at its first use. */
  grants?: Grants;
  /** Bound roles that are not there, as errors. */
  missing?: readonly string[];
  /** Which state of the roles the grants are from. */
  rolesVersion?: number;
}

export class SubjectIndex {
  readonly #users = new Map<string, BoundSubject>();
  readonly #groups = new Map<string, BoundSubject>();

  get isEmpty(): boolean {
    return this.#users.size === 0 && this.#groups.size === 0;
  }

  add(binding: AnyBinding): void {
    this.#forEach(binding, (map, key, subject) => {
      const known = map.get(key);
      const bound = known ?? { bindings: new Map<string, Bound>() };
      if (known === undefined) map.set(key, bound);
      delete bound.grants;
      const name = binding.metadata.name ?? '';
      if (!bound.bindings.has(name)) bound.bindings.set(name, { binding, subject });
    });
  }

  remove(binding: AnyBinding): void {
    this.#forEach(binding, (map, key) => {
      const bound = map.get(key);
      if (bound === undefined) return;
      delete bound.grants;
      bound.bindings.delete(binding.metadata.name ?? '');
      if (bound.bindings.size === 0) map.delete(key);
    });
  }

  /** The subjects that a user is. */
  *of({ name, groups }: UserInfo): Generator<BoundSubject> {
    const own = this.#users.get(name);
    if (own !== undefined) yield own;
    for (const group of groups) {
      const bound = this.#groups.get(group);
      if (bound !== undefined) yield bound;
    }
  }

  #forEach(
    { subjects = [], metadata }: AnyBinding,
    visit: (map: Map<string, BoundSubject>, key: string, subject: Subject) => void,
  ): void {
    for (const subject of subjects) {
      if (subject.kind === 'Group') visit(this.#groups, subject.name ?? '', subject);
      else if (subject.kind === 'User') visit(this.#users, subject.name ?? '', subject);
      else if (subject.kind === 'ServiceAccount') {
        const namespace = namespaceOf(subject, metadata.namespace);
        if (namespace !== '') visit(this.#users, `system:serviceaccount:${namespace}:${subject.name ?? ''}`, subject);
      }
    }
  }
}

const namespaceOf = ({ namespace = '' }: Subject, fallback = ''): string => (namespace === '' ? fallback : namespace);

/** `RoleBinding "b/ns" of Role "r" to Group "devs"` */
export function describeBound({ binding, subject }: Bound): string {
  const {
    metadata: { name = '', namespace = '' },
    roleRef,
  } = binding;
  const of =
    namespace === '' ? `ClusterRoleBinding ${goQuote(name)}` : `RoleBinding ${goQuote(`${name}/${namespace}`)}`;
  const to =
    subject.kind === 'ServiceAccount' ? `${subject.name}/${namespaceOf(subject, namespace)}` : (subject.name ?? '');
  return `${of} of ${roleRef.kind} ${goQuote(roleRef.name ?? '')} to ${subject.kind} ${goQuote(to)}`;
}
