/**
 * The pods of this node: where they come from, a worker for each, and what is left of those that are gone.
 *
 * Workers learn of changes by the source of the pod, by the runtime, and by probes; each of them only wakes a worker,
 * which looks at everything again.
 */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { podReferences } from '../../api/core/pods/references.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { TokenBucket } from '../../base/token-bucket.ts';
import type { Client } from '../../client/client.ts';
import type { EventRecorder } from '../../client/events/recorder.ts';
import { HookRunner } from '../hooks/hook-runner.ts';
import type { EvictionObserver } from '../metrics/eviction-metrics.ts';
import type { ImageObserver } from '../metrics/image-metrics.ts';
import type { PodObserver } from '../metrics/pod-metrics.ts';
import type { ProbeObserver } from '../metrics/probe-metrics.ts';
import type { VolumeObserver } from '../metrics/volume-metrics.ts';
import { CredentialProviders, type CredentialProvidersOptions } from '../images/credentials/credential-providers.ts';
import { askProvider } from '../images/credentials/exec-provider.ts';
import { ImagePuller } from '../images/image-puller.ts';
import { nodeCredentials } from '../images/pull-secrets.ts';
import { PullQueue } from '../images/pull-queue.ts';
import type { Pressure } from '../eviction/thresholds.ts';
import type { PluginHandlers } from '../plugin-registration/plugin-handler.ts';
import { ProbeRunner } from '../probes/probe-runner.ts';
import { createLinuxPodCgroups } from '../resources/cgroups/linux-pod-cgroups.ts';
import { noAllocations, type PodAllocations } from '../resources/pod-allocations.ts';
import { noCgroups } from '../resources/cgroups/pod-cgroups.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import type { TracePod } from '../tracing/traces.ts';
import { createVolumeManager } from '../volumes/volume-manager.ts';
import type { Volumes } from '../volumes/volumes.ts';
import { type AdmissionMachine, NodeView } from './admission/node-view.ts';
import { decide } from './admission/admit.ts';
import { Housekeeping } from './housekeeping.ts';
import { createNodePlugins, hasSeLinux, type NodePlugins } from './node-plugins.ts';
import type { PodContext } from './pod-context.ts';
import { PodEvents } from './pod-events.ts';
import type { Eviction } from './pod-memory.ts';
import type { PodsConfig } from './pods-config.ts';
import { addressesOf } from './pod-state.ts';
import { PodWorkers } from './pod-workers.ts';
import type { ObjectUse, ReferredKind } from './referred/object-reader.ts';
import { isRunning, nameOf } from './runtime-pod.ts';
import { PodResizes } from './resize/pod-resizes.ts';
import { RuntimeCache } from './runtime-cache.ts';
import type { RuntimePod } from './runtime-pod.ts';
import { PodSources } from './sources/pod-sources.ts';
import { MirrorPods } from './static/mirror-pods.ts';
import { isStaticPod } from './static/static-pod.ts';
import { StatusWriter } from './status-writer.ts';
import { readTerminationMessage } from './termination-message.ts';
import { Upkeep } from './upkeep.ts';
import { findIdRange } from './user-namespaces/subordinate-ids.ts';
import { UserNamespaces } from './user-namespaces/user-namespaces.ts';

export interface PodManagerOptions {
  /** None without an API server: only static pods run. */
  readonly client: Client | undefined;
  readonly events: Pick<EventRecorder, 'event'>;
  readonly runtime: ContainerRuntime;
  readonly config: PodsConfig;
  readonly machine: AdmissionMachine;
  /** The machine shuts down: no pod is taken any more. */
  readonly isShuttingDown?: (() => boolean) | undefined;
  /** Of plugins by type, beside those of volumes. */
  readonly handlers?: PluginHandlers | undefined;
  /** What containers have for themselves; nothing where it is not given. */
  readonly allocations?: PodAllocations | undefined;
  /** Addresses of the node. */
  readonly hostIPs: () => readonly string[];
  /** Of the node's status. */
  readonly allocatable: () => Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly log: Logger;
  readonly observers?: PodObservers;
  /** Undefined where nothing is traced. */
  readonly trace?: TracePod | undefined;
}

/** Told of what metrics count. */
export interface PodObservers {
  readonly probes?: ProbeObserver;
  readonly pods?: PodObserver;
  readonly volumes?: VolumeObserver;
  readonly images?: ImageObserver;
  readonly evictions?: EvictionObserver;
}

export interface PodManager {
  /** Rejects when the runtime does not answer. */
  start(): Promise<void>;
  /** Leaves the pods running. */
  stop(): Promise<void>;
  /** Those of all sources, as they are now. */
  pods(): readonly Pod[];
  /** All sources have said which pods there are. */
  hasSynced(): boolean;
  /** What the runtime has of them. */
  runtimePods(): readonly RuntimePod[];
  /** Conditions of the node that hold: `MemoryPressure`. */
  pressures(): readonly Pressure[];
  /** Milliseconds since the runtime was listed; undefined before the first time. */
  sinceListMs(): number | undefined;
  /** Milliseconds since what is left of pods was looked for; undefined before the first time. */
  sinceRoundMs(): number | undefined;
  /** The name of the persistent volume behind a claim; undefined where there is none. */
  volumeOfClaim(namespace: string, claim: string): Promise<string | undefined>;
  /** What the driver of a CSI volume says of its use; undefined where it does not. @param directory of the volume */
  csiUsage: Volumes['csiUsage'];
  /** Whether the runtime has a container of the pod that runs. */
  isRunning(uid: string, container: string): boolean;
  /** Those that have not begun to end. */
  running(): readonly Pod[];
  /** Ends a pod. Resolves when nothing of it runs any more. */
  terminate(pod: Pod, eviction: Eviction): Promise<void>;
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
    onListed: options.observers?.pods?.listed,
  });
  const view = new NodeView({
    ...options,
    nodeName: options.config.nodeName,
    pressures: () => upkeep?.pressures ?? [],
    use: referencesOf(workers),
  });
  const mirrors =
    client === undefined
      ? undefined
      : new MirrorPods({ client, log, node: () => view.node, onChange: (uid) => base.statuses.rewrite(uid) });
  const plugins = createNodePlugins({ ...options, ...options.config, observer: options.observers?.volumes });
  const base = contextOf(options, { workers, cache, view, mirrors, plugins });
  const sources = new PodSources({ ...options, workers, mirrors });
  let housekeeping: Housekeeping | undefined;
  let upkeep: Upkeep | undefined;
  return {
    async start() {
      const { runtimeName = 'unknown' } = await runtime.version({ version: '0.1.0' });
      const context: PodContext = { ...base, runtimeName };
      workers.begin(context);
      await base.cgroups.start();
      await cache.relist();
      await view.start();
      await base.volumes.start();
      await base.resizes?.start();
      plugins.start();
      sources.start();
      cache.start();
      housekeeping = new Housekeeping({ context, workers, mirrors, hasSynced: () => sources.hasSynced });
      housekeeping.start();
      upkeep = new Upkeep(context, workers, options.observers);
      upkeep.start();
    },
    async stop() {
      await Promise.all([housekeeping?.stop(), upkeep?.stop()]);
      await Promise.all([sources.stop(), view.stop(), cache.stop()]);
      base.probes.stop();
      await workers.stop();
      await plugins.stop();
      await base.statuses.stop();
    },
    pods: () => workers.pods(),
    hasSynced: () => sources.hasSynced,
    runtimePods: () => cache.pods(),
    pressures: () => upkeep?.pressures ?? [],
    sinceListMs: () => cache.sinceListMs,
    sinceRoundMs: () => housekeeping?.sinceRoundMs,
    volumeOfClaim: async (namespace, claim) => (await view.objects.claim(namespace, claim))?.spec?.volumeName,
    csiUsage: (directory) => base.volumes.csiUsage(directory),
    running: () => workers.running(),
    async terminate({ metadata }, eviction) {
      const worker = workers.get(metadata.uid ?? '');
      worker?.evict(eviction);
      await worker?.ended;
    },
    isRunning: (uid, name) =>
      cache.get(uid)?.containers.some((container) => nameOf(container) === name && isRunning(container)) === true,
  };
}

/** A change of what a pod refers to wakes its worker. */
function referencesOf(workers: PodWorkers): ObjectUse {
  const users = (kind: ReferredKind, namespace: string, name: string): Pod[] =>
    workers.running().filter((pod) => pod.metadata.namespace === namespace && podReferences(pod)[kind].has(name));
  return {
    isUsed: (...object) => users(...object).length > 0,
    onChange: (...object) => {
      for (const { metadata } of users(...object)) workers.refresh(metadata.uid ?? '');
    },
  };
}

/** A pod that is resized is judged like one that is new. */
const createResizes = ({ config, log }: PodManagerOptions, workers: PodWorkers, view: NodeView): PodResizes =>
  new PodResizes({
    ...config,
    hasExclusive: config.hasExclusiveResources,
    log,
    isStatic: isStaticPod,
    refusal: (pod, isAlone) => decide(pod, isAlone ? [] : workers.othersOf(pod), view.admissionNode()).refusal?.message,
  });

const createUserNamespaces = ({ config, runtime, log }: PodManagerOptions): UserNamespaces =>
  new UserNamespaces({
    rootDirectory: config.rootDirectory,
    findRange: () => findIdRange(config.maxPods),
    async isSupported(handler) {
      const { runtimeHandlers = [] } = await runtime.status({});
      return runtimeHandlers.some(({ name = '', features }) => name === handler && features?.userNamespaces === true);
    },
    log,
  });

const providerTimeoutMs = 60_000;

/** Of programs, and of files where other programs for containers have them. */
function nodeRegistryCredentials({ config, clock, log, observers }: PodManagerOptions): PodContext['credentials'] {
  const { credentialProviders: providers, rootDirectory } = config;
  const environment = process.env;
  const ask: CredentialProvidersOptions['ask'] = (provider, repository) =>
    askProvider(provider, repository, { environment, timeoutMs: providerTimeoutMs });
  const provided = new CredentialProviders({ providers, ask, clock, log, observer: observers?.images });
  const folders = [rootDirectory, `${environment['HOME'] ?? ''}/.docker`, '/.docker'];
  return async (image) => [...(await provided.credentialsFor(image)), ...(await nodeCredentials(image, folders))];
}

interface Parts {
  readonly workers: PodWorkers;
  readonly cache: RuntimeCache;
  readonly view: NodeView;
  readonly mirrors: MirrorPods | undefined;
  readonly plugins: NodePlugins;
}

function contextOf(options: PodManagerOptions, { workers, cache, view, mirrors, plugins }: Parts) {
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
    images: new ImagePuller({ runtime, clock, queue, rate, observer: options.observers?.images }),
    credentials: nodeRegistryCredentials(options),
    volumes: createVolumeManager({
      ...config,
      objects,
      events,
      clock,
      nowMs,
      random,
      hostIPs,
      csiDrivers: plugins.csiDrivers,
      hasSeLinux: hasSeLinux(),
      ...config.gates,
      observer: options.observers?.volumes,
    }),
    probes: new ProbeRunner({
      runtime,
      clock,
      nowMs,
      random,
      log,
      events,
      observer: options.observers?.probes,
      onChange: (uid) => workers.wake(uid),
    }),
    hooks: new HookRunner({ runtime, clock, events, podIPsOf }),
    resizes: config.gates.hasResize ? createResizes(options, workers, view) : undefined,
    userNamespaces: config.gates.hasUserNamespaces ? createUserNamespaces(options) : undefined,
    cgroups: config.cgroupsPerQos
      ? createLinuxPodCgroups({
          mount: '/sys/fs/cgroup',
          ...config.cgroups,
          limits: config.nodeLimits,
          pods: () => workers.running(),
          settings: { ...config.resources, podPidsLimit: config.podPidsLimit },
          log,
          event: (...event) => events.ofNode(config.nodeName, ...event),
        })
      : noCgroups,
    allocations: options.allocations ?? noAllocations,
    observer: options.observers?.pods,
    trace: options.trace,
    volumeObserver: options.observers?.volumes,
    statuses: new StatusWriter({ client, clock, log, mirrorOf: (pod) => mirrors?.of(pod) }),
  };
  return context;
}
