import type { KubeObject } from '../../machinery/object-meta.ts';

/**
 * Custom objects of which admission has made more than their schema has. What is pruned is not stored, and counts as a
 * change of the object, as it does upstream, where it is pruned later.
 */
const pruned = new WeakSet<KubeObject>();

export const markPruned = (object: KubeObject): void => void pruned.add(object);

export const wasPruned = (object: KubeObject): boolean => pruned.has(object);
