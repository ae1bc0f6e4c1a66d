import { annotationLock } from './annotation-lock.ts';
import type { ResourceLock } from './lock.ts';
import { leaseLock, type LockTarget } from './lease-lock.ts';
import { multiLock } from './multi-lock.ts';

/** `--leader-elect-resource-lock` */
export const lockKinds = ['leases', 'endpointsleases', 'configmapsleases'] as const;
export type LockKind = (typeof lockKinds)[number];

export function createLock(kind: LockKind, target: LockTarget): ResourceLock {
  switch (kind) {
    case 'leases':
      return leaseLock(target);
    case 'endpointsleases':
      return multiLock(annotationLock('endpoints', target), leaseLock(target));
    case 'configmapsleases':
      return multiLock(annotationLock('configmaps', target), leaseLock(target));
  }
}
