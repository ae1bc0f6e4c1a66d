/**
 * The pods of this node: where they come from, a worker for each, and what is left of those that are gone.
 *
 * Workers learn of changes by the source of the pod, by the runtime, and by probes; each of them only wakes a worker,
 * which looks at everything again.
 */
import type { Pod, Service } from '../../api/gen/types/core-v1.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Client } from '../../client/client.ts';
import { createEventRecorder } from '../../client/events/recorder.ts';
import { onEveryChange } from '../../reconcile/handlers.ts';
import { Informer } from '../../reconcile/informer.ts';
import { HookRunner } from '../hooks/hook-runner.ts';
import { ImagePuller } from '../images/image-puller.ts';
import { PullQueue } from '../images/pull-queue.ts';
import { ProbeRunner } from '../probes/probe-runner.ts';
import { createLinuxPodCgroups } from '../resources/linux-pod-cgroups.ts';
import { noCgroups } from '../resources/pod-cgroups.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import { createVolumeManager } from '../volumes/volume-manager.ts';
import { createClientObjects } from './client-objects.ts';
import { Housekeeping } from './housekeeping.ts';
import type { PodContext } from './pod-context.ts';
import { PodEvents } from './pod-events.ts';
import type { PodsConfig } from './pods-config.ts';
import { addressesOf } from './pod-state.ts';
import { PodWorkers } from './pod-workers.ts';
import { RuntimeCache } from './runtime-cache.ts';
import { StatusWriter } from './status-writer.ts';
import { readTerminationMessage } from './termination-message.ts';

export interface PodManagerOptions {
  readonly client: Client;
  readonly runtime: ContainerRuntime;
  readonly config: PodsConfig;
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
  /** Resolves when all events so far are written or dropped. */
  flush(): Promise<void>;
  /** Those of all sources, as they are now. */
  pods(): readonly Pod[];
}

export function createPodManager(options: PodManagerOptions): PodManager {
  const { client, runtime, config, hostIPs, allocatable, clock, nowMs, random, log } = options;
  const recorder = createEventRecorder({ client, component: 'kubelet', host: config.nodeName, log, clock });
  const events = new PodEvents(recorder);
  const shared = { log, clock, random };
  const pods = new Informer<Pod>({
    source: client.core.v1.pods.source({ fieldSelector: `spec.nodeName=${config.nodeName}`, dropManagedFields: true }),
    ...shared,
  });
  const services = new Informer<Service>({
    source: client.core.v1.services.source({ dropManagedFields: true }),
    ...shared,
  });
  const objects = createClientObjects({ client, clock, services, allocatable });
  const cache = new RuntimeCache({
    runtime,
    clock,
    log,
    readMessage: readTerminationMessage,
    onChange: (uid) => workers.wake(uid),
  });
  const podIPsOf = (uid: string) => addressesOf(cache.get(uid)?.sandboxes[0]);
  const queue = new PullQueue(config.images.isSerial ? 1 : (config.images.maxParallel ?? Infinity));
  const base: Omit<PodContext, 'runtimeName'> = {
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
    images: new ImagePuller({ runtime, clock, queue }),
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
    statuses: new StatusWriter({ client, clock, log }),
  };
  const workers = new PodWorkers();
  let housekeeping: Housekeeping | undefined;
  return {
    async start() {
      const { runtimeName = 'unknown' } = await runtime.version({ version: '0.1.0' });
      const context: PodContext = { ...base, runtimeName };
      workers.begin(context);
      await cache.relist();
      services.start();
      // Containers learn of services by their environment: they do not start before these are known.
      await services.synced().catch((error: unknown) => log.warn({ err: error }, 'services are not known yet'));
      pods.addHandler(
        onEveryChange((before, after) => {
          const uid = before?.metadata.uid;
          if (uid !== undefined && uid !== after?.metadata.uid) workers.remove(uid);
          if (after !== undefined) workers.set(after);
        }),
      );
      pods.start();
      cache.start();
      housekeeping = new Housekeeping({ context, workers, hasSynced: () => pods.hasSynced });
      housekeeping.start();
    },
    async stop() {
      await housekeeping?.stop();
      await Promise.all([pods.stop(), services.stop(), cache.stop()]);
      base.probes.stop();
      await workers.stop();
      await base.statuses.stop();
      await recorder.stop();
    },
    flush: () => recorder.flush(),
    pods: () => workers.pods(),
  };
}
