import type { ObjectMeta } from '../machinery/object-meta.ts';

const kept = [
  'deletionTimestamp',
  'generation',
  'selfLink',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
] as const;

/** For subresources that write a part of the object: all other metadata stays as it was, but for managed fields. */
export function keepMetadata(meta: ObjectMeta, old: ObjectMeta): void {
  for (const member of kept) setMember(meta, old, member);
}

/** Absent members become undefined, which writers leave out. */
function setMember<K extends keyof ObjectMeta>(meta: ObjectMeta, old: ObjectMeta, member: K): void {
  (meta as Record<K, ObjectMeta[K] | undefined>)[member] = old[member];
}
