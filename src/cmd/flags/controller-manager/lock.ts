/**
 * Where controller managers agree on the one that works. In the place of the original, its lock is taken, so that never
 * both are active; else one of our own.
 */
import type { GivenFlags } from '../parse.ts';
import type { LeaderElectionOptions } from '../shared/leader-election.ts';

export interface Lock {
  readonly namespace: string;
  readonly name: string;
}

export const ownLock: Lock = { namespace: 'orch-system', name: 'controller-manager' };

const originalName = 'kube-controller-manager';
const originalLock: Lock = { namespace: 'kube-system', name: originalName };

/** @param program the name that the process was started by */
export function lockOf(options: LeaderElectionOptions, given: GivenFlags, program: string): Lock {
  const namespace = given.has('leader-elect-resource-namespace') ? options.resourceNamespace : undefined;
  const name = given.has('leader-elect-resource-name') ? options.resourceName : undefined;
  const isOriginal =
    program === originalName ||
    namespace === originalLock.namespace ||
    name === originalLock.name ||
    [...given.values()].some((written) => written.startsWith('--cluster-signing-kubelet-'));
  const usual = isOriginal ? originalLock : ownLock;
  return { namespace: namespace ?? usual.namespace, name: name ?? usual.name };
}
