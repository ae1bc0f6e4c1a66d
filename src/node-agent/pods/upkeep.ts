/** Work on the node that is done again and again: logs, images, sandboxes that have ended, evictions. */
import { statfs } from 'node:fs/promises';
import type { Logger } from '../../base/logger.ts';
import type { Clock } from '../../base/clock.ts';
import { pause } from '../../reconcile/pause.ts';
import { EvictionManager } from '../eviction/eviction-manager.ts';
import { podProcesses } from '../eviction/pod-processes.ts';
import { isMemoryShort, observe } from '../eviction/observe.ts';
import { podUsages } from '../eviction/pod-usages.ts';
import type { Pressure } from '../eviction/thresholds.ts';
import { ImageCollector } from '../images/image-collector.ts';
import type { EvictionObserver } from '../metrics/eviction-metrics.ts';
import type { ImageObserver } from '../metrics/image-metrics.ts';
import { LogRotator, type RunningLog } from '../logs/log-rotator.ts';
import { CpuReconciler, type RunningContainer } from '../resources/cpu/cpu-reconciler.ts';
import { unlessGone } from '../runtime/container-runtime.ts';
import type { PodContext } from './pod-context.ts';
import { tooManyOfNode } from './dead-containers.ts';
import { isReadySandbox } from './pod-state.ts';
import type { PodWorkers } from './pod-workers.ts';
import { terminationByKubelet } from './publish-status.ts';
import { isRunning, nameOf } from './runtime-pod.ts';
import { isStaticPod } from './static/static-pod.ts';

const imageCollectionMs = 300_000;
const sandboxCollectionMs = 60_000;
const evictionMs = 10_000;
/** Where memory that runs short is to be seen at once. */
const memoryMs = 1000;
const classesMs = 60_000;

/** Told of what metrics count. */
export interface UpkeepObservers {
  readonly images?: ImageObserver;
  readonly evictions?: EvictionObserver;
}

export class Upkeep {
  readonly #context: PodContext;
  readonly #workers: PodWorkers;
  readonly #abort = new AbortController();
  readonly #images: ImageCollector;
  readonly #eviction: EvictionManager;
  #sandboxImage: string | undefined;
  #looks = 0;
  #running: Promise<unknown> = Promise.resolve();

  constructor(context: PodContext, workers: PodWorkers, observers: UpkeepObservers = {}) {
    this.#context = context;
    this.#workers = workers;
    const { runtime, config, nowMs, events } = context;
    const event = (reason: string, message: string): void => events.ofNode(config.nodeName, 'Warning', reason, message);
    this.#images = new ImageCollector({
      runtime,
      limits: config.images.limits,
      diskUsage: () => this.#imageDisk(),
      nowMs,
      sandboxImages: () => [this.#sandboxImage ?? '', config.sandboxImage].filter((name) => name !== ''),
      event,
      observer: observers.images,
    });
    this.#eviction = new EvictionManager({
      settings: config.eviction,
      observe: () => observe({ rootDirectory: config.rootDirectory, imageDirectories: () => this.#imageDirectories() }),
      pods: () => workers.running(),
      usages: (pods) =>
        podUsages(pods, {
          runtime,
          ...config,
          processesOf: (pod) => podProcesses(pod, { ...config, ...config.resources }),
        }),
      isStatic: isStaticPod,
      reclaimDisk: async () => {
        await this.#collectSandboxes();
        await this.#images.removeUnused();
      },
      evict: (pod, eviction) => {
        events.ofPod(pod, 'Warning', 'Evicted', eviction.message);
        workers.get(pod.metadata.uid ?? '')?.evict(eviction);
      },
      event,
      condition: (message) => terminationByKubelet(message, nowMs()),
      nowMs,
      observer: observers.evictions,
    });
  }

  get pressures(): readonly Pressure[] {
    return this.#eviction.pressures;
  }

  start(): void {
    const { config, clock, log, nowMs, runtime, allocations } = this.#context;
    const cpus = new CpuReconciler({ allocations, runtime, running: () => this.#runningContainers(), log });
    const rotator = new LogRotator({ runtime, limits: config.logs, nowMs, log });
    const { signal } = this.#abort;
    const again = (everyMs: number, what: string, work: () => Promise<void>): Promise<void> =>
      repeated(work, { everyMs, what, clock, log, signal });
    this.#running = Promise.all([
      again(config.logs.checkMs, 'logs could not be looked at', () => rotator.look(this.#runningLogs())),
      again(imageCollectionMs, 'images could not be collected', async () => {
        await this.#readSandboxImage();
        await this.#images.collect();
      }),
      again(classesMs, 'the classes of pods could not be limited', () => this.#context.cgroups.updateClasses()),
      again(sandboxCollectionMs, 'what has ended could not be collected', async () => {
        await this.#collectContainers();
        await this.#collectSandboxes();
      }),
      again(config.cpuReconcileMs, 'the CPUs of containers could not be set', () => cpus.reconcile()),
      again(config.watchesMemory ? memoryMs : evictionMs, 'the resources of the node could not be looked at', () =>
        this.#lookAtResources(),
      ),
    ]);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  /** With each second only where memory is short; as often as usual else. */
  async #lookAtResources(): Promise<void> {
    const { watchesMemory, eviction } = this.#context.config;
    this.#looks++;
    const isDue = !watchesMemory || (this.#looks * memoryMs) % evictionMs === 0;
    if (isDue || (await isMemoryShort(eviction))) await this.#eviction.look();
  }

  #runningContainers(): RunningContainer[] {
    return this.#context.cache.pods().flatMap(({ uid, containers }) =>
      containers.filter(isRunning).map((container) => ({
        uid,
        name: nameOf(container),
        containerId: container.status.id ?? '',
      })),
    );
  }

  #runningLogs(): RunningLog[] {
    const { cache, config } = this.#context;
    // A runtime that says another path does not have this process rename files elsewhere.
    const isLog = (path: string): boolean =>
      path.startsWith(`${config.podLogsDirectory}/`) && !path.split('/').includes('..');
    return cache
      .pods()
      .flatMap(({ containers }) =>
        containers
          .filter(isRunning)
          .flatMap(({ status: { id = '', logPath = '' } }): RunningLog[] =>
            isLog(logPath) ? [{ containerId: id, path: logPath }] : [],
          ),
      );
  }

  /** Those of living pods that are too many for the node. */
  async #collectContainers(): Promise<void> {
    const { cache, runtime, config, nowMs } = this.#context;
    const living = cache.pods().filter(({ uid }) => this.#workers.get(uid) !== undefined);
    const byPod = living.map(({ containers }) => containers);
    for (const container of tooManyOfNode(byPod, config.deadContainers, nowMs())) {
      const containerId = container.status.id ?? '';
      await unlessGone(runtime.removeContainer({ containerId }));
      const pod = living.find(({ containers }) => containers.includes(container));
      if (pod !== undefined) cache.forgetContainer(pod, containerId);
    }
  }

  /** Those of living pods that have ended and have a successor, and no container left. */
  async #collectSandboxes(): Promise<void> {
    const { cache, runtime } = this.#context;
    for (const { uid, sandboxes, containers } of cache.pods()) {
      if (this.#workers.get(uid) === undefined) continue;
      const inUse = new Set(containers.map(({ sandboxId }) => sandboxId));
      for (const sandbox of sandboxes.slice(1))
        if (!isReadySandbox(sandbox) && !inUse.has(sandbox.id ?? ''))
          await unlessGone(runtime.removePodSandbox({ podSandboxId: sandbox.id ?? '' }));
    }
  }

  async #imageDirectories(): Promise<readonly string[]> {
    const { imageFilesystems = [] } = await this.#context.runtime.imageFsInfo({});
    return imageFilesystems.flatMap(({ fsId }) => (fsId?.mountpoint === undefined ? [] : [fsId.mountpoint]));
  }

  async #imageDisk() {
    const [directory = this.#context.config.rootDirectory] = await this.#imageDirectories();
    const { bavail, blocks, bsize } = await statfs(directory);
    return { availableBytes: bavail * bsize, capacityBytes: blocks * bsize };
  }

  /** Runtimes that do not pin it name it in their configuration. */
  async #readSandboxImage(): Promise<void> {
    const { info = {} } = await this.#context.runtime.status({ verbose: true });
    this.#sandboxImage = /"sandboxImage":\s*"([^"]+)"/.exec(info['config'] ?? '')?.[1];
  }
}

interface Repeated {
  readonly everyMs: number;
  readonly what: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

async function repeated(work: () => Promise<void>, { everyMs, what, clock, log, signal }: Repeated): Promise<void> {
  while (!signal.aborted) {
    await pause(clock, everyMs, signal);
    if (signal.aborted) return;
    await work().catch((error: unknown) => log.warn({ err: error }, what));
  }
}
