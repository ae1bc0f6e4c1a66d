/** The worker side of a node without machine, network and API server: containers in memory, and a clock that stands. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Pod, PodStatus } from '../../../api/gen/types/core-v1.ts';
import { silentLogger } from '../../../base/logger.ts';
import { FakeClock } from '../../../base/testing/fake-clock.ts';
import { HookRunner } from '../../hooks/hook-runner.ts';
import { ImagePuller } from '../../images/image-puller.ts';
import { PullQueue } from '../../images/pull-queue.ts';
import { ProbeRunner } from '../../probes/probe-runner.ts';
import type { ProbeResult } from '../../probes/probe-result.ts';
import { noAllocations, type PodAllocations } from '../../resources/pod-allocations.ts';
import type { ContainerRuntime } from '../../runtime/container-runtime.ts';
import { noCgroups } from '../../resources/cgroups/pod-cgroups.ts';
import { SimulatedContainers } from '../../runtime/testing/simulated-containers.ts';
import type { TracePod } from '../../tracing/traces.ts';
import { createVolumeManager } from '../../volumes/volume-manager.ts';
import type { AdmissionNode } from '../admission/admission-request.ts';
import { decide } from '../admission/admit.ts';
import type { ApiObjects } from '../api-objects.ts';
import { Housekeeping } from '../housekeeping.ts';
import type { PodContext } from '../pod-context.ts';
import type { PodObservers } from '../pod-manager.ts';
import { PodEvents } from '../pod-events.ts';
import { PodWorkers } from '../pod-workers.ts';
import type { PodsConfig } from '../pods-config.ts';
import { PodResizes } from '../resize/pod-resizes.ts';
import { RuntimeCache } from '../runtime-cache.ts';
import { StatusWriter } from '../status-writer.ts';
import type { UserNamespaces } from '../user-namespaces/user-namespaces.ts';

export interface SimulatedNode {
  readonly containers: SimulatedContainers;
  readonly workers: PodWorkers;
  readonly context: PodContext;
  readonly clock: FakeClock;
  /** `Normal Started spec.containers{main} Started container main` */
  readonly events: string[];
  readonly directory: string;
  /** What pods are admitted by. */
  machine: AdmissionNode;
  /** What probes answer; success where a test says nothing. */
  probe: () => ProbeResult | Promise<ProbeResult>;
  /** The status that would be written. */
  statusOf(uid?: string): PodStatus | undefined;
  /** Lets time pass, one second after the other, with what the runtime tells meanwhile. */
  pass(seconds: number): Promise<void>;
  /** Until something holds, without time passing. Fails when it does not come to hold. */
  until(holds: () => boolean): Promise<void>;
  /** Lets everything end that is under way. */
  settle(): Promise<void>;
  clean(): Promise<void>;
  /** Ends the workers as a stop of the agent does, and begins with new ones that know nothing. */
  restart(pods: readonly Pod[]): Promise<void>;
  /** As `kill -9` does: what the agent has begun in the runtime is done or not, and it hears nothing of it. */
  crash(): void;
  readonly isDead: boolean;
  /** Sets the wall clock of the machine. */
  skew(ms: number): void;
  /** Lets everything end that is under way, or the agent die. */
  untilDeadOrIdle(): Promise<void>;
}

/** After which what has not happened will not. Files are real, and a machine may be busy. */
const patienceMs = 20_000;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A test may replace some of them: each node has its own. */
const noObjects = (): ApiObjects => ({
  configMap: () => Promise.resolve(undefined),
  secret: () => Promise.resolve(undefined),
  claim: () => Promise.resolve(undefined),
  persistentVolume: () => Promise.resolve(undefined),
  csiDriver: () => Promise.resolve(undefined),
  volumeAttachment: () => Promise.resolve(undefined),
  claimExpanded: () => Promise.resolve(),
  volumesAttached: () => [],
  writeVolumesInUse: () => Promise.resolve(),
  trustBundle: () => Promise.resolve(undefined),
  trustBundlesOf: () => Promise.resolve([]),
  token: () => Promise.reject(new Error('there is no API server')),
  namedObjects: () => Promise.resolve({ configMap: () => undefined, secret: () => undefined }),
  runtimeHandler: () => Promise.resolve(''),
  services: () => [],
  allocatable: () => ({ cpu: '2', memory: '4Gi' }),
});

const noDrivers = {
  get(name: string): never {
    throw new Error(`driver name ${name} not found in the list of registered CSI drivers`);
  },
};

const configIn = (directory: string): PodsConfig => ({
  nodeName: 'node-1',
  rootDirectory: `${directory}/root`,
  podLogsDirectory: `${directory}/logs`,
  containerLogsDirectory: `${directory}/links`,
  dns: { clusterDns: ['10.0.0.10'], clusterDomain: 'cluster.local', resolvConf: undefined },
  cgroups: { root: '/', driver: 'cgroupfs' },
  cgroupsPerQos: false,
  nodeLimits: { pods: {}, reserved: [], memoryReservedPercent: undefined },
  podPidsLimit: -1,
  resources: {
    cpuCfsQuota: true,
    cpuCfsQuotaPeriodUs: 100_000,
    memoryCapacity: 1n << 32n,
    isCgroupV2: true,
    hugePageSizes: [],
    killsSingleProcess: false,
    swap: undefined,
    memoryQos: undefined,
  },
  seccompDefault: false,
  gates: { hasUserNamespaces: false, hasResize: false, hasImageVolumes: false, hasTrustBundles: false },
  hasExclusiveResources: false,
  maxPods: 110,
  syncFrequencyMs: 60_000,
  maxRestartDelayMs: 300_000,
  changeDetection: 'Watch',
  credentialProviders: [],
  staticPods: { path: '', url: '', headers: {}, fileCheckMs: 20_000, urlCheckMs: 20_000 },
  allowedUnsafeSysctls: ['net.core.somaxconn'],
  images: {
    isSerial: true,
    maxParallel: undefined,
    qps: 0,
    burst: 0,
    limits: { highPercent: 85, lowPercent: 80, minAgeMs: 120_000, maxAgeMs: 0 },
  },
  logs: { maxBytes: 10_485_760, maxFiles: 5, workers: 1, checkMs: 10_000 },
  cpuReconcileMs: 10_000,
  watchesMemory: false,
  eviction: {
    hard: {},
    soft: {},
    softGraceMs: {},
    minimumReclaim: {},
    pressureTransitionMs: 300_000,
    maxPodGraceSeconds: 0,
    limitsStorage: true,
  },
  deadContainers: { perContainer: 1, total: -1, minAgeMs: 0 },
  keepsVolumes: false,
  sandboxImage: '',
  mounterPath: '',
  volumePluginDirectory: `${directory}/drivers`,
});

export interface SimulatedParts {
  readonly allocations?: PodAllocations;
  /** Of a node whose pods can have users of their own. */
  readonly userNamespaces?: (rootDirectory: string) => UserNamespaces;
  /** Whether resources of pods can change. */
  readonly hasResize?: boolean;
  readonly trace?: TracePod;
  /** In place of what nodes usually have. */
  readonly config?: Partial<PodsConfig>;
  readonly observers?: Pick<PodObservers, 'volumes' | 'images'>;
}

export async function simulateNode(parts: SimulatedParts = {}): Promise<SimulatedNode> {
  const { allocations = noAllocations, userNamespaces, hasResize = false, observers = {} } = parts;
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-pods-'));
  const clock = new FakeClock();
  const objects = noObjects();
  let skewMs = 0;
  const nowMs = (): number => Date.UTC(2026, 0, 1) + skewMs + Math.floor(clock.now());
  const containers = new SimulatedContainers(nowMs);
  const events: string[] = [];
  const podEvents = new PodEvents({
    event(object, type, reason, message) {
      const on = 'fieldPath' in object ? ` ${object.fieldPath}` : '';
      events.push(`${type} ${reason}${on} ${message}`);
    },
  });
  let workers = new PodWorkers();
  const never = new Promise<never>(() => undefined);
  let life = { isOver: false };
  /** Of one process: when it is dead, it gets no answer, and asks nothing any more. */
  const mortalRuntime = (): ContainerRuntime => {
    const own = (life = { isOver: false });
    return new Proxy(containers.runtime, {
      get: (runtime, method: keyof ContainerRuntime) => async (request: never) => {
        if (own.isOver) return never;
        const answer: unknown = await runtime[method](request).catch((error: unknown) => {
          if (!own.isOver) throw error;
        });
        return own.isOver ? never : answer;
      },
    });
  };
  const begin = (): PodContext => {
    const config = { ...configIn(directory), ...parts.config };
    const wake = (uid: string): void => workers.wake(uid);
    const common = { clock, nowMs, random: () => 0, log: silentLogger };
    const runtime = mortalRuntime();
    const context: PodContext = {
      ...common,
      config,
      runtime,
      runtimeName: 'simulated',
      cache: new RuntimeCache({ ...common, runtime, readMessage: () => Promise.resolve(undefined), onChange: wake }),
      events: podEvents,
      objects,
      hostIPs: () => ['192.0.2.1'],
      admission: (pod, others) => decide(pod, others, node.machine),
      images: new ImagePuller({ runtime, clock, queue: new PullQueue(1), observer: observers.images }),
      credentials: () => Promise.resolve([]),
      volumes: createVolumeManager({
        ...common,
        ...config,
        objects,
        events: podEvents,
        hostIPs: () => [],
        csiDrivers: noDrivers,
        hasSeLinux: false,
        ...config.gates,
        observer: observers.volumes,
      }),
      probes: new ProbeRunner({
        ...common,
        runtime,
        events: podEvents,
        onChange: wake,
        run: async () => node.probe(),
      }),
      hooks: new HookRunner({ runtime, clock, events: podEvents, podIPsOf: () => [] }),
      userNamespaces: userNamespaces?.(config.rootDirectory),
      resizes: hasResize ? resizesOf(config.rootDirectory) : undefined,
      cgroups: noCgroups,
      allocations,
      volumeObserver: observers.volumes,
      trace: parts.trace,
      statuses: new StatusWriter({ client: undefined, clock, log: silentLogger }),
    };
    workers = new PodWorkers();
    workers.begin(context);
    return context;
  };
  const resizesOf = (rootDirectory: string): PodResizes =>
    new PodResizes({
      rootDirectory,
      hasExclusive: false,
      log: silentLogger,
      isStatic: () => false,
      refusal: (pod, isAlone) => decide(pod, isAlone ? [] : workers.othersOf(pod), node.machine).refusal?.message,
    });
  let context = begin();
  const until = async (holds: () => boolean): Promise<void> => {
    const end = performance.now() + patienceMs;
    while (!holds()) {
      if (performance.now() > end) throw new Error(`it does not come to hold: ${String(holds)}`);
      await turn();
    }
  };
  const settle = async (): Promise<void> => {
    await turn();
    await until(() => [...workers.all()].every(([, worker]) => worker.isIdle));
  };
  const node: SimulatedNode = {
    containers,
    events,
    clock,
    directory,
    get workers() {
      return workers;
    },
    get context() {
      return context;
    },
    machine: {
      name: 'node-1',
      labels: {},
      taints: [],
      allocatable: { cpu: '2', memory: '4Gi', pods: '10' },
      pressures: [],
      hasAppArmor: false,
      kernelVersion: '6.1.0',
      allowedUnsafeSysctls: [],
      isShuttingDown: false,
    },
    probe: () => ({ outcome: 'success', output: '' }),
    statusOf: (uid = 'uid-1') => context.statuses.statusOf(uid),
    settle,
    async pass(seconds) {
      for (let second = 0; second < seconds; second++) {
        await clock.advance(1000);
        await context.cache.relist();
        await settle();
      }
    },
    until,
    clean: () => new Housekeeping({ context, workers, hasSynced: () => true }).clean(),
    crash() {
      life.isOver = true;
    },
    skew(ms) {
      skewMs += ms;
    },
    get isDead() {
      return life.isOver;
    },
    async untilDeadOrIdle() {
      await turn();
      await until(() => life.isOver || [...workers.all()].every(([, worker]) => worker.isIdle));
    },
    async restart(pods) {
      context.probes.stop();
      if (!life.isOver) await workers.stop();
      context = begin();
      await context.resizes?.start();
      await context.cache.relist();
      for (const pod of pods) workers.set(pod);
    },
  };
  onTestFinished(async () => {
    context.probes.stop();
    if (!life.isOver) await workers.stop();
    await rm(directory, { recursive: true, force: true });
  });
  return node;
}
