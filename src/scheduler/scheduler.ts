/**
 * The scheduler: gives pods without a node the one that suits them best.
 *
 * ```ts
 * const scheduler = createScheduler({ client, log });
 * await scheduler.start();
 * ```
 *
 * It knows the cluster by the API alone. It has no flags and serves nothing: `src/cmd` joins it to a process.
 */
import { setMaxListeners } from 'node:events';
import type { Pod } from '../api/gen/types/core-v1.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { type Logger, silentLogger } from '../base/logger.ts';
import type { Client } from '../client/client.ts';
import { createSeriesRecorder, type SeriesRecorder } from '../client/events/series-recorder.ts';
import { CooperativeScheduler } from '../machinery/cooperative-scheduling.ts';
import { defaultSchedulerConfig } from './config/defaults.ts';
import type { SchedulerConfig, SchedulerFeatures } from './config/types.ts';
import { FailureHandler } from './cycle/failure.ts';
import { PodEvents } from './cycle/pod-events.ts';
import { PodScheduler } from './cycle/schedule-pod.ts';
import { SchedulingCycle } from './cycle/scheduling-cycle.ts';
import { WaitingPods } from './cycle/waiting-pods.ts';
import { Extenders, extenderName } from './extender/extenders.ts';
import { HttpExtender } from './extender/http-extender.ts';
import { attachHandlers } from './event-handlers.ts';
import { type SchedulerObserver, silentObserver } from './framework/observer.ts';
import type { Plugin } from './framework/plugin.ts';
import type { Profile } from './framework/profile.ts';
import { allInformers, createSchedulerInformers, type SchedulerInformers } from './informers.ts';
import type { PluginContext } from './plugins/plugin-context.ts';
import { createProfiles } from './plugins/create-profiles.ts';
import type { SchedulerMetrics } from './metrics.ts';
import { NominatedPods } from './queue/nominated-pods.ts';
import { QueueingHints } from './queue/queueing-hints.ts';
import { SchedulingQueue } from './queue/scheduling-queue.ts';
import { MatchCounts } from './state/match-counts.ts';
import { ClusterState } from './state/cluster-state.ts';

export interface SchedulerOptions {
  readonly client: Client;
  /** In place of informers of its own, which may have read ahead. They are not stopped with the scheduler. */
  readonly informers?: SchedulerInformers;
  /** No older list is taken: the resource version since when this process leads. */
  readonly notBefore?: string | undefined;
  /** Of events; `client` when absent. */
  readonly eventClient?: Pick<Client, 'events'>;
  readonly config?: SchedulerConfig;
  /** As the configuration was made with; also those of the default configuration. */
  readonly features?: SchedulerFeatures;
  /** How long a pod that fits nowhere waits at most before it is tried again; 5 minutes when absent. */
  readonly maxUnschedulableMs?: number;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Where the scheduler shows its work, such as `createSchedulerMetrics`. */
  readonly metrics?: SchedulerMetrics;
  /** A number in [0, 1). */
  readonly random?: () => number;
  /** Milliseconds since 1970. */
  readonly wallTime?: () => number;
  /** Which instance reports events: the name of the host. */
  readonly instance?: string;
}

export interface Scheduler {
  /** Resolves when pods are being scheduled: all objects have been read once. Rejects when the signal aborts. */
  start(signal?: AbortSignal): Promise<void>;
  /** Those that it has read, without those that have ended. */
  pods(): readonly Pod[];
  /** Resolves when nothing is under way any more. What was not bound stays without a node. */
  stop(): Promise<void>;
}

/** So many bindings wait for the API server before the next pod is looked at. */
const maxBindings = 500;

export function createScheduler(options: SchedulerOptions): Scheduler {
  return new RunningScheduler(options);
}

class RunningScheduler implements Scheduler {
  readonly #informers: SchedulerInformers;
  readonly #ownsInformers: boolean;
  readonly #queue: SchedulingQueue;
  readonly #cluster = new ClusterState();
  readonly #cycle: SchedulingCycle;
  readonly #profiles: ReadonlyMap<string, Profile>;
  readonly #recorders: ReadonlyMap<string, SeriesRecorder>;
  readonly #extenders: Extenders;
  readonly #waiting: WaitingPods;
  readonly #log: Logger;
  readonly #abort = new AbortController();
  readonly #bindings = new Set<Promise<void>>();
  #detach: () => void = () => undefined;
  #running: Promise<void> | undefined;

  constructor(options: SchedulerOptions) {
    const { client, clock = systemClock, log = silentLogger, random = Math.random, wallTime = Date.now } = options;
    const { features = {}, metrics } = options;
    const { config = defaultSchedulerConfig(features) } = options;
    // Each binding that is under way listens.
    setMaxListeners(0, this.#abort.signal);
    this.#log = log;
    this.#ownsInformers = options.informers === undefined;
    this.#informers =
      options.informers ??
      createSchedulerInformers(client, {
        ...{ log, clock, random },
        wholePods: config.extenders.length > 0,
        ...features,
      });
    const { notBefore } = options;
    if (notBefore !== undefined)
      for (const informer of allInformers(this.#informers)) informer.requireVersion(notBefore);
    this.#recorders = recordersOf(options, config);
    const observer = metrics ?? silentObserver;
    const events = new PodEvents((name) => this.#recorders.get(name));
    const nominated = new NominatedPods();
    const cluster = this.#cluster;
    const waiting = new WaitingPods(clock);
    this.#waiting = waiting;
    const extenders = new Extenders(
      config.extenders.map((extender) => new HttpExtender(extender)),
      log,
    );
    this.#extenders = extenders;
    const counts = new MatchCounts(cluster);
    const context: PluginContext = {
      cluster,
      client,
      informers: this.#informers,
      nominated,
      counts,
      events,
      observer,
      waiting,
      extenders,
      signal: this.#abort.signal,
      profile: (name: string) => this.#profiles.get(name)!,
      clock,
      log,
      random,
      wallTime,
    };
    this.#profiles = createProfiles(config, context, observer);
    this.#queue = this.#createQueue(config, {
      ...{ clock, nominated, observer },
      maxUnschedulableMs: options.maxUnschedulableMs,
    });
    const { percentageOfNodesToScore } = config;
    const currentPod = (namespace: string, name: string): Pod | undefined =>
      this.#informers.pods.lister.get(namespace, name);
    this.#cycle = new SchedulingCycle({
      ...{ cluster, queue: this.#queue, profiles: this.#profiles, events, observer, waiting, extenders, clock, log },
      pods: new PodScheduler({ cluster, percentageOfNodesToScore, random, observer }),
      failures: new FailureHandler({ client, queue: this.#queue, events, currentPod, wallTime, log }),
    });
    metrics?.show({
      pending: () => this.#queue.counts,
      unschedulable: () => this.#queue.unschedulable.countsByPlugin(),
      cache: () => ({ nodes: cluster.nodes.length, pods: cluster.podCount, assumed_pods: cluster.assumedCount }),
      inFlightEvents: () => this.#queue.inFlight.countsByEvent(),
      bindings: () => this.#bindings.size,
    });
  }

  async start(signal?: AbortSignal): Promise<void> {
    const informers = allInformers(this.#informers);
    const isOurs = ({ spec }: Pod): boolean => this.#profiles.has(spec.schedulerName ?? '');
    this.#detach = attachHandlers(this.#informers, { cluster: this.#cluster, queue: this.#queue, isOurs });
    if (this.#ownsInformers) for (const informer of informers) informer.start();
    const either = AbortSignal.any([this.#abort.signal, ...(signal === undefined ? [] : [signal])]);
    for (const informer of informers) await informer.untilSynced(either);
    this.#running = this.#run();
  }

  pods(): readonly Pod[] {
    return this.#informers.pods.lister.list();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    this.#queue.stop();
    this.#detach();
    await this.#running;
    this.#waiting.rejectAll();
    await Promise.all(this.#bindings);
    if (this.#ownsInformers) await Promise.all(allInformers(this.#informers).map((informer) => informer.stop()));
    await this.#extenders.close();
    await Promise.all([...this.#recorders.values()].map((recorder) => recorder.stop()));
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    const turns = new CooperativeScheduler();
    while (!signal.aborted) {
      const queued = this.#queue.pop();
      if (queued === undefined) {
        await this.#queue.wait();
        continue;
      }
      try {
        const binding = await this.#cycle.schedule(queued, signal);
        if (binding !== undefined) this.#keep(binding.done);
      } catch (error) {
        this.#log.error({ err: error, pod: `${queued.info.namespace}/${queued.info.name}` }, 'a pod was not scheduled');
        this.#queue.addUnschedulable(queued);
      }
      if (this.#bindings.size >= maxBindings) await Promise.race(this.#bindings);
      await turns.next();
    }
  }

  #keep(binding: Promise<void>): void {
    const kept = binding.finally(() => this.#bindings.delete(kept));
    this.#bindings.add(kept);
  }

  #createQueue(
    { podInitialBackoffSeconds, podMaxBackoffSeconds }: SchedulerConfig,
    parts: {
      readonly clock: Clock;
      readonly nominated: NominatedPods;
      readonly observer: SchedulerObserver;
      readonly maxUnschedulableMs: number | undefined;
    },
  ): SchedulingQueue {
    const plugins = new Map(
      [...this.#profiles].map(([name, profile]) => [name, [...profile.plugins, ...asPlugins(this.#extenders)]]),
    );
    const onHintFailure = (plugin: string, error: unknown): void =>
      this.#log.error({ err: error, plugin }, 'a queueing hint failed');
    const [first] = this.#profiles.values();
    return new SchedulingQueue({
      clock: parts.clock,
      nominated: parts.nominated,
      maxUnschedulableMs: parts.maxUnschedulableMs,
      isBefore: (a, b) => first!.queueSort.isBefore(a, b),
      preEnqueue: (pod) => this.#profiles.get(pod.pod.spec.schedulerName ?? '')?.preEnqueue(pod),
      hints: new QueueingHints(plugins, onHintFailure, parts.observer),
      backoff: { initialMs: podInitialBackoffSeconds * 1000, maxMs: podMaxBackoffSeconds * 1000 },
      onIncoming: (queue, event) => parts.observer.incoming(queue, event),
      onMoved: (event, seconds) => parts.observer.eventHandled(event, seconds),
    });
  }
}

/** What extenders refuse is tried again after every change: nothing is known of what they look at. */
const asPlugins = ({ isEmpty }: Extenders): readonly Plugin[] => (isEmpty ? [] : [{ name: extenderName }]);

function recordersOf(options: SchedulerOptions, { profiles }: SchedulerConfig): ReadonlyMap<string, SeriesRecorder> {
  const { client, eventClient = client, clock, log, wallTime, instance } = options;
  const parts = { client: eventClient, ...defined({ clock, log, wallTime }) };
  return new Map(
    profiles.map(({ schedulerName: name }) => {
      const reportingInstance = instance === undefined ? name : `${name}-${instance}`;
      return [name, createSeriesRecorder({ ...parts, reportingController: name, reportingInstance })];
    }),
  );
}

function defined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
