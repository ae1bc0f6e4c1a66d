/**
 * The pods of this node: where they come from, a worker for each, and what is left of those that are gone.
 *
 * Workers learn of changes by the source of the pod, by the runtime, and by probes; each of them only wakes a worker,
 * which looks at everything again.
 */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { TokenBucket } from '../../base/token-bucket.ts';
import type { Client } from '../../client/client.ts';
import type { EventRecorder } from '../../client/events/recorder.ts';
import { HookRunner } from '../hooks/hook-runner.ts';
import { ImagePuller } from '../images/image-puller.ts';
import { PullQueue } from '../images/pull-queue.ts';
import type { Pressure } from '../eviction/thresholds.ts';
import { ProbeRunner } from '../probes/probe-runner.ts';
import { createLinuxPodCgroups } from '../resources/linux-pod-cgroups.ts';
import { noCgroups } from '../resources/pod-cgroups.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import { createVolumeManager } from '../volumes/volume-manager.ts';
import { type AdmissionMachine, NodeView } from './admission/node-view.ts';
import { decide } from './admission/admit.ts';
import { Housekeeping } from './housekeeping.ts';
import type { PodContext } from './pod-context.ts';
import { PodEvents } from './pod-events.ts';
import type { PodsConfig } from './pods-config.ts';
import { addressesOf } from './pod-state.ts';
import { PodWorkers } from './pod-workers.ts';
import { RuntimeCache } from './runtime-cache.ts';
import { PodSources } from './sources/pod-sources.ts';
import { MirrorPods } from './static/mirror-pods.ts';
import { StatusWriter } from './status-writer.ts';
import { readTerminationMessage } from './termination-message.ts';
import { Upkeep } from './upkeep.ts';

export interface PodManagerOptions {
  /** None without an API server: only static pods run. */
  readonly client: Client | undefined;
  readonly events: Pick<EventRecorder, 'event'>;
  readonly runtime: ContainerRuntime;
  readonly config: PodsConfig;
  readonly machine: AdmissionMachine;
  /** Addresses of the node. */
  readonly hostIPs: () => readonly string[];
  /** Of the node's status. */
  readonly allocatable: () => Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly log: Logger;
}

export interface PodManager {
  /** Rejects when the runtime does not answer. */
  start(): Promise<void>;
  /** Leaves the pods running. */
  stop(): Promise<void>;
  /** Those of all sources, as they are now. */
  pods(): readonly Pod[];
  /** Conditions of the node that hold: `MemoryPressure`. */
  pressures(): readonly Pressure[];
  /** Milliseconds since the runtime was listed; undefined before the first time. */
  sinceListMs(): number | undefined;
}

export function createPodManager(options: PodManagerOptions): PodManager {
  const { client, runtime, log } = options;
  const workers = new PodWorkers();
  const cache = new RuntimeCache({
    runtime,
    clock: options.clock,
    log,
    readMessage: readTerminationMessage,
    onChange: (uid) => workers.wake(uid),
  });
  const view = new NodeView({
    ...options,
    nodeName: options.config.nodeName,
    pressures: () => upkeep?.pressures ?? [],
  });
  const mirrors =
    client === undefined
      ? undefined
      : new MirrorPods({ client, log, node: () => view.node, onChange: (uid) => base.statuses.rewrite(uid) });
  const base = contextOf(options, { workers, cache, view, mirrors });
  const sources = new PodSources({ ...options, workers, mirrors });
  let housekeeping: Housekeeping | undefined;
  let upkeep: Upkeep | undefined;
  return {
    async start() {
      const { runtimeName = 'unknown' } = await runtime.version({ version: '0.1.0' });
      const context: PodContext = { ...base, runtimeName };
      workers.begin(context);
      await cache.relist();
      await view.start();
      sources.start();
      cache.start();
      housekeeping = new Housekeeping({ context, workers, mirrors, hasSynced: () => sources.hasSynced });
      housekeeping.start();
      upkeep = new Upkeep(context, workers);
      upkeep.start();
    },
    async stop() {
      await Promise.all([housekeeping?.stop(), upkeep?.stop()]);
      await Promise.all([sources.stop(), view.stop(), cache.stop()]);
      base.probes.stop();
      await workers.stop();
      await base.statuses.stop();
    },
    pods: () => workers.pods(),
    pressures: () => upkeep?.pressures ?? [],
    sinceListMs: () => cache.sinceListMs,
  };
}

interface Parts {
  readonly workers: PodWorkers;
  readonly cache: RuntimeCache;
  readonly view: NodeView;
  readonly mirrors: MirrorPods | undefined;
}

function contextOf(options: PodManagerOptions, { workers, cache, view, mirrors }: Parts) {
  const { client, runtime, config, hostIPs, clock, nowMs, random, log } = options;
  const events = new PodEvents(options.events);
  const podIPsOf = (uid: string) => addressesOf(cache.get(uid)?.sandboxes[0]);
  const { isSerial, maxParallel = Infinity, qps, burst } = config.images;
  const queue = new PullQueue(isSerial ? 1 : maxParallel);
  const rate = qps === 0 ? undefined : new TokenBucket({ perSecond: qps, burst }, clock);
  const { objects } = view;
  const context: Omit<PodContext, 'runtimeName'> = {
    config,
    runtime,
    cache,
    clock,
    nowMs,
    random,
    log,
    events,
    objects,
    hostIPs,
    admission: (pod, others) => decide(pod, others, view.admissionNode()),
    images: new ImagePuller({ runtime, clock, queue, rate }),
    volumes: createVolumeManager({ ...config, objects, events, clock, nowMs, random, hostIPs }),
    probes: new ProbeRunner({ runtime, clock, nowMs, random, log, events, onChange: (uid) => workers.wake(uid) }),
    hooks: new HookRunner({ runtime, clock, events, podIPsOf }),
    cgroups: config.cgroupsPerQos
      ? createLinuxPodCgroups({
          mount: '/sys/fs/cgroup',
          root: config.cgroups.root,
          settings: { ...config.resources, podPidsLimit: config.podPidsLimit },
          log,
        })
      : noCgroups,
    statuses: new StatusWriter({ client, clock, log, mirrorOf: (pod) => mirrors?.of(pod) }),
  };
  return context;
}
