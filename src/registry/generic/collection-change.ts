import { isEqual } from '../../machinery/equal.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';

/**
 * Whether a change is nothing but what the garbage collector does to an object that is to go: owners and finalizers.
 */
export function isOnlyForCollection(object: KubeObject, old: KubeObject): boolean {
  const { ownerReferences, finalizers, managedFields } = old.metadata ?? {};
  const own = { ...object.metadata };
  for (const [member, value] of Object.entries({ ownerReferences, finalizers, managedFields })) {
    if (value === undefined) delete own[member as 'finalizers'];
    else Object.assign(own, { [member]: value });
  }
  // Only what came by patch says what it is.
  const { apiVersion: _version, kind: _kind, ...rest } = object as KubeObject & { apiVersion?: string; kind?: string };
  return isEqual({ ...rest, metadata: own }, old);
}
