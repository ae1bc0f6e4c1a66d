/** Finalizers of objects: what keeps an object from being gone before it may be. */
import type { KubeObject } from '../../machinery/object-meta.ts';

export const hasFinalizer = ({ metadata }: KubeObject, finalizer: string): boolean =>
  metadata?.finalizers?.includes(finalizer) === true;

/** The object with or without the finalizer. */
export function withFinalizer<T extends KubeObject>(object: T, finalizer: string, isWanted: boolean): T {
  const others = (object.metadata?.finalizers ?? []).filter((name) => name !== finalizer);
  return { ...object, metadata: { ...object.metadata, finalizers: isWanted ? [...others, finalizer] : others } };
}
