/**
 * Where the processes of a daemon agree on the one that works. In the place of the original, its lock is taken, so that
 * never both are active; else one of our own.
 */
import type { GivenFlags } from '../parse.ts';
import type { LeaderElectionOptions } from './leader-election.ts';

export interface Lock {
  readonly namespace: string;
  readonly name: string;
}

export interface LockNames {
  readonly own: Lock;
  /** Of the program whose place this one can take. */
  readonly original: Lock;
}

/** @param isOriginal the process was started in the place of the original; so it is where its lock is named in part */
export function lockOf(
  { own, original }: LockNames,
  options: Pick<LeaderElectionOptions, 'resourceNamespace' | 'resourceName'>,
  given: GivenFlags,
  { isOriginal }: { readonly isOriginal: boolean },
): Lock {
  const namespace = given.has('leader-elect-resource-namespace') ? options.resourceNamespace : undefined;
  const name = given.has('leader-elect-resource-name') ? options.resourceName : undefined;
  const usual = isOriginal || namespace === original.namespace || name === original.name ? original : own;
  return { namespace: namespace ?? usual.namespace, name: name ?? usual.name };
}
