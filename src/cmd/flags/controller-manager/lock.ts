import type { GivenFlags } from '../parse.ts';
import type { LeaderElectionOptions } from '../shared/leader-election.ts';
import { type LockNames, lockOf } from '../shared/lock.ts';

export const controllerManagerLocks: LockNames = {
  own: { namespace: 'orch-system', name: 'controller-manager' },
  original: { namespace: 'kube-system', name: 'kube-controller-manager' },
};

/** @param program the name that the process was started by */
export const controllerManagerLock = (options: LeaderElectionOptions, given: GivenFlags, program: string) =>
  lockOf(controllerManagerLocks, options, given, {
    isOriginal:
      program === controllerManagerLocks.original.name ||
      // Only the original has these names.
      [...given.values()].some((written) => written.startsWith('--cluster-signing-kubelet-')),
  });
