import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Client } from '../../client/index.ts';
import type { SharedInformers } from '../../client/shared-informers.ts';
import type { CloudProvider } from '../cloud/provider.ts';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import type { WorkQueueMetrics } from '../../server/metrics/work-queue-metrics.ts';
import type { ClockJumps } from './clock-jumps.ts';
import type { RateFactors } from './controller-table.ts';
import type { ControllerManagerOptions } from './options.ts';

/** What every controller is made of. */
export interface ManagerDependencies {
  /**
   * @param account service account of the controller, whose identity the client has where each has its own
   * @param rates how much more than the rates of the process the client may use; once as much when absent
   */
  readonly clientFor: (account: string, rates?: RateFactors) => Client;
  readonly informers: SharedInformers;
  readonly options: ControllerManagerOptions;
  /** Of the platform; undefined where it has none. */
  readonly cloud: CloudProvider | undefined;
  readonly log: Logger;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly wallTime: () => number;
  readonly clockJumps: ClockJumps;
  readonly random: () => number;
  readonly isGateOn: (gate: string) => boolean;
  readonly metrics: MetricRegistry | undefined;
  readonly queueMetrics: WorkQueueMetrics | undefined;
  readonly onRestart?: ((controller: string) => void) | undefined;
}
