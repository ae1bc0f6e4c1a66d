/**
 * Flags of leader election: which of several processes of a daemon is the one that works.
 * @see {@link https://kubernetes.io/docs/concepts/architecture/leases/#leader-election | Leases: leader election}
 */
import { lockKinds, type LockKind } from '../../../client/leader-election/create-lock.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { bool, duration, section, text, type ValuesOf } from '../flag.ts';
import type { Problems, Spelling } from './problems.ts';

/** @param lock where the candidates of a daemon meet unless flags say otherwise */
export const leaderElectionFlags = (lock: { readonly namespace: string; readonly name: string }) =>
  section('Leader election', {
    leaderElect: bool('leader-elect', 'supported', {
      default: true,
      help: 'Work only as the leader among the processes of this daemon. Needed where there are several.',
    }),
    leaseDurationMs: duration('leader-elect-lease-duration', 'supported', {
      default: '15s',
      help: 'How long others wait after the last renewal that they saw, before they take the lead.',
    }),
    renewDeadlineMs: duration('leader-elect-renew-deadline', 'supported', {
      default: '10s',
      help: 'How long the leader tries to renew its lead before it stops to lead. Less than the lease duration.',
    }),
    retryPeriodMs: duration('leader-elect-retry-period', 'supported', {
      default: '2s',
      help: 'Time between two tries to take or to renew the lead.',
    }),
    resourceLock: text('leader-elect-resource-lock', 'supported', {
      default: 'leases',
      help: `What the candidates write: ${lockKinds.join(', ')}. The last two keep an older form up to date as well.`,
    }),
    resourceName: text('leader-elect-resource-name', 'supported', {
      default: lock.name,
      help: 'Name of the object that the candidates write.',
    }),
    resourceNamespace: text('leader-elect-resource-namespace', 'supported', {
      default: lock.namespace,
      help: 'Namespace of the object that the candidates write.',
    }),
  });

export type LeaderElectionOptions = ValuesOf<ReturnType<typeof leaderElectionFlags>['flags']>;

/** So many retry periods must fit into the renew deadline. */
const jitter = 1.2;

/** Times with which two could lead at once, or none, in the words of upstream's elector. */
export function leaderElectionProblems(options: LeaderElectionOptions, spelled: Spelling): Problems {
  const { leaderElect, leaseDurationMs, renewDeadlineMs, retryPeriodMs } = options;
  if (!leaderElect) return [];
  const positive = (name: string, value: number): string | false =>
    value <= 0 && `${spelled(`leader-elect-${name}`)} must be greater than zero`;
  const required = (name: string, value: string): string | false =>
    value === '' && `${spelled(`leader-elect-${name}`)} must not be empty`;
  return [
    !isLockKind(options.resourceLock) &&
      `${spelled('leader-elect-resource-lock')} ${goQuote(options.resourceLock)} invalid, allowed ` +
        `values: ${lockKinds.join(', ')}`,
    positive('lease-duration', leaseDurationMs),
    positive('renew-deadline', renewDeadlineMs),
    positive('retry-period', retryPeriodMs),
    leaseDurationMs > 0 &&
      leaseDurationMs < 1000 &&
      `${spelled('leader-elect-lease-duration')} must be at least 1s: leases are counted in seconds`,
    leaseDurationMs <= renewDeadlineMs &&
      `${spelled('leader-elect-lease-duration')} must be greater than ${spelled('leader-elect-renew-deadline')}`,
    renewDeadlineMs <= jitter * retryPeriodMs &&
      `${spelled('leader-elect-renew-deadline')} must be greater than ${spelled('leader-elect-retry-period')} ` +
        `times ${jitter}`,
    required('resource-name', options.resourceName),
    required('resource-namespace', options.resourceNamespace),
  ];
}

export const isLockKind = (text: string): text is LockKind => (lockKinds as readonly string[]).includes(text);
