/**
 * Ends pods before the node runs out of a resource, and those that use more of its disk than they may.
 *
 * 1. What the node has left is compared with the thresholds; conditions of pressure follow.
 * 2. What no pod needs goes first: images and containers that have ended.
 * 3. Where that was not enough, one pod is ended, and the next look decides again.
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/ | Node-pressure Eviction}
 */
import type { Pod, PodCondition } from '../../api/gen/types/core-v1.ts';
import type { EvictionObserver } from '../metrics/eviction-metrics.ts';
import type { Eviction } from '../pods/pod-memory.ts';
import { storageProblem } from './local-storage.ts';
import { evictionMessage, type PodUsage, rankedForEviction, starvedResource } from './ranking.ts';
import {
  judge,
  noThresholdState,
  type Observations,
  type Pressure,
  type Threshold,
  type ThresholdSettings,
  type ThresholdState,
} from './thresholds.ts';

export interface EvictionManagerOptions {
  readonly settings: ThresholdSettings & {
    /** Seconds; negative for that of the pod. */
    readonly maxPodGraceSeconds: number;
    /** Whether limits of the disk are kept. */
    readonly limitsStorage: boolean;
  };
  readonly observe: () => Promise<Observations>;
  /** Pods that run. */
  readonly pods: () => readonly Pod[];
  readonly usages: (pods: readonly Pod[]) => Promise<readonly PodUsage[]>;
  readonly isStatic: (pod: Pod) => boolean;
  /** Frees disk that no pod needs. */
  readonly reclaimDisk: () => Promise<void>;
  readonly evict: (pod: Pod, eviction: Eviction & { readonly message: string }) => void;
  /** Of the node. */
  readonly event: (reason: string, message: string) => void;
  readonly condition: (message: string) => PodCondition;
  readonly nowMs: () => number;
  readonly observer?: EvictionObserver | undefined;
}

/** A pod that is ended at once has that long to write down what it must. */
const hardGraceSeconds = 1;

export class EvictionManager {
  readonly #options: EvictionManagerOptions;
  #state: ThresholdState = noThresholdState;
  #pressures: readonly Pressure[] = [];
  #observedMs = 0;

  constructor(options: EvictionManagerOptions) {
    this.#options = options;
  }

  /** Conditions of the node that hold. */
  get pressures(): readonly Pressure[] {
    return this.#pressures;
  }

  /** Once. */
  async look(): Promise<void> {
    const { settings } = this.#options;
    if (settings.limitsStorage && (await this.#keepStorageLimits())) return;
    const [first] = await this.#judge();
    if (first === undefined) return;
    const resource = starvedResource(first.signal);
    this.#options.event('EvictionThresholdMet', `Attempting to reclaim ${resource}`);
    if (resource === 'ephemeral-storage' || resource === 'inodes') {
      await this.#options.reclaimDisk();
      const left = await this.#judge();
      if (!left.some(({ signal }) => signal === first.signal)) return;
    }
    await this.#evictOne(first);
  }

  /** What is met. */
  async #judge(): Promise<readonly Threshold[]> {
    const { settings, observe, nowMs } = this.#options;
    this.#observedMs = nowMs();
    const { met, pressures, state } = judge(await observe(), settings, this.#state, nowMs());
    this.#state = state;
    this.#pressures = pressures;
    return met;
  }

  async #evictOne(threshold: Threshold): Promise<void> {
    const { pods, usages, isStatic, settings, condition, observer, nowMs } = this.#options;
    const resource = starvedResource(threshold.signal);
    const [first] = rankedForEviction(await usages(pods()), resource, isStatic);
    if (first === undefined) return;
    const { maxPodGraceSeconds: most } = settings;
    const own = Number(first.pod.spec.terminationGracePeriodSeconds ?? 30);
    const soft = most < 0 ? own : Math.min(own, most);
    const message = evictionMessage(first, threshold);
    this.#end(first.pod, message, threshold.isHard ? hardGraceSeconds : soft, condition(message));
    observer?.(threshold.signal, (nowMs() - this.#observedMs) / 1000);
  }

  /** @returns whether a pod was ended */
  async #keepStorageLimits(): Promise<boolean> {
    const { pods, usages, observer } = this.#options;
    let hasEnded = false;
    for (const usage of await usages(pods().filter(hasStorageLimit))) {
      const problem = storageProblem(usage);
      if (problem === undefined) continue;
      this.#end(usage.pod, problem.message, hardGraceSeconds);
      observer?.(problem.signal, undefined);
      hasEnded = true;
    }
    return hasEnded;
  }

  #end(pod: Pod, message: string, graceSeconds: number, condition?: PodCondition): void {
    this.#options.evict(pod, { reason: 'Evicted', message, graceSeconds, condition });
  }
}

/** Only those are measured. */
export function hasStorageLimit({ spec }: Pod): boolean {
  const hasVolume = (spec.volumes ?? []).some(({ emptyDir }) => emptyDir?.sizeLimit !== undefined);
  const all = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  return hasVolume || all.some(({ resources }) => resources?.limits?.['ephemeral-storage'] !== undefined);
}
