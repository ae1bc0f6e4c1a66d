/** What plugins are made with. */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Client } from '../../client/client.ts';
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
  readonly clock: Clock;
  readonly log: Logger;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Milliseconds since 1970. */
  readonly wallTime: () => number;
}
