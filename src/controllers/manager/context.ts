/**
 * What a controller is given. All that it opens ends with it: informer handlers, work queues and timers of a controller
 * that fails are gone before it is started again.
 */
import type { Client, EventRecorder, Informer, InformerHandler, SyncResult, Trigger } from '../../client/index.ts';
import type { ResourceTarget } from '../../client/resources/resource-client.ts';
import type { InformerLease, InformerSelection, WatchedResource } from '../../client/shared-informers.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { Controller } from '../../reconcile/controller.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { RateLimiter } from '../../reconcile/rate-limiter.ts';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import type { CloudProvider } from '../cloud/provider.ts';
import type { ControllerManagerOptions } from './options.ts';

export interface ControllerContext {
  /** `deployment-controller`: also the reporter of its events. */
  readonly name: string;
  /** With the identity of this controller. Writes are refused once the leadership is lost. */
  readonly client: Client;
  readonly options: ControllerManagerOptions;
  /** What the platform does for the cluster; undefined where it does nothing. */
  readonly cloud: CloudProvider | undefined;
  readonly events: EventRecorder;
  readonly log: Logger;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly wallTime: () => number;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Absent where nothing serves metrics. */
  readonly metrics: MetricRegistry | undefined;
  readonly isGateOn: (gate: string) => boolean;
  /** Aborts when the controller is to end. */
  readonly signal: AbortSignal;

  /** The informer of a resource, shared with the other controllers. */
  informer<T extends KubeObject>(resource: WatchedResource<T>, selection?: InformerSelection): Informer<T>;
  /** Who owns the objects of a resource, shared with the other controllers that ask so. Released when this one ends. */
  lease(target: ResourceTarget): InformerLease;
  /** The same with what this controller wrote and the informer has not told yet. */
  mutationCache<T extends KubeObject>(informer: Informer<T>): MutationCache<T>;
  /** Adds a handler until the controller ends. */
  handle<T>(informer: Informer<T>, handler: InformerHandler<T>): void;
  /** Adds an index, unless another controller has added the same: one name means one index per resource. */
  index<T>(informer: Informer<T>, name: string, indexer: (object: T) => Iterable<string>): void;
  /**
   * A work queue with workers, which runs until the controller ends. It has begun when all triggers are synced. Keys
   * that wait for a time are looked at when the wall time is set.
   */
  work(options: WorkOptions): Controller;
  /** Runs every so often, first after `firstMs`, one run at a time. A run that throws is logged. */
  every(periodMs: number, run: (signal: AbortSignal) => Promise<void>, firstMs?: number): void;
  /** Called when the controller ends. */
  onStop(cleanup: () => void | Promise<void>): void;
  /** The controller cannot go on: it is ended, and started again after a time. */
  fail(error: unknown): void;
}

export interface WorkOptions {
  /** Of the queue in metrics: upstream's name, such as `replicaset`. */
  readonly queue: string;
  readonly workers: number;
  readonly triggers: readonly Trigger[];
  /** See `Controller`. */
  readonly sync: (key: string, signal: AbortSignal) => Promise<SyncResult>;
  /** client-go's default when absent. */
  readonly rateLimiter?: RateLimiter;
  /** A failure that is expected and not worth an error in the log. */
  readonly isExpected?: (error: unknown) => boolean;
}

/** Begins to control. Resolves when all is set up; what it began ends with the context. */
export type StartController = (context: ControllerContext) => void | Promise<void>;
