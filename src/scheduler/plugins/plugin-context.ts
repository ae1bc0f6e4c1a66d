/** What plugins are made with. */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Client } from '../../client/client.ts';
import type { PodEvents } from '../cycle/pod-events.ts';
import type { WaitingPods } from '../cycle/waiting-pods.ts';
import type { Extenders } from '../extender/extenders.ts';
import type { SchedulerObserver } from '../framework/observer.ts';
import type { Profile } from '../framework/profile.ts';
import type { SchedulerInformers } from '../informers.ts';
import type { NominatedPods } from '../queue/nominated-pods.ts';
import type { MatchCounts } from '../state/match-counts.ts';
import type { ClusterState } from '../state/cluster-state.ts';

export interface PluginContext {
  readonly cluster: ClusterState;
  readonly client: Client;
  readonly informers: SchedulerInformers;
  readonly nominated: NominatedPods;
  readonly counts: MatchCounts;
  readonly events: PodEvents;
  readonly observer: SchedulerObserver;
  /** The profile of a scheduler name; there are none while plugins are made. */
  readonly profile: (schedulerName: string) => Profile;
  /** Services that take part in the choice of nodes. */
  readonly extenders: Extenders;
  /** Aborts when the scheduler stops. */
  readonly signal: AbortSignal;
  /** Pods that have a node and are not bound yet. */
  readonly waiting: WaitingPods;
  readonly clock: Clock;
  readonly log: Logger;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Milliseconds since 1970. */
  readonly wallTime: () => number;
}
