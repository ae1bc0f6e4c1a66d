/**
 * Gives containers what they have for themselves from NUMA nodes that suit all of it, and refuses pods for which the
 * policy allows no such choice.
 */
import type { Container, Pod } from '../../../api/gen/types/core-v1.ts';
import type { TopologyObserver } from '../../metrics/topology-metrics.ts';
import { containersInOrder } from '../container-requests.ts';
import { AllocationError, anyNode, type Hint, type ResourceManager } from './hints.ts';
import { isAdmitted, mergeHints, type Merging } from './merge-hints.ts';

export interface TopologySettings extends Merging {
  /** Whether nodes are chosen for each container, or for all of a pod. */
  readonly scope: 'container' | 'pod';
}

export class TopologyManager {
  readonly #settings: TopologySettings;
  /** In the order in which they give. */
  readonly #managers: readonly ResourceManager[];

  readonly #observer: TopologyObserver | undefined;

  constructor(settings: TopologySettings, managers: readonly ResourceManager[], observer?: TopologyObserver) {
    this.#settings = settings;
    this.#observer = observer;
    this.#managers = managers;
  }

  /** Rejects with an `AllocationError`; what was given until then has to be released. */
  async allocate(pod: Pod): Promise<void> {
    const begunAt = performance.now();
    let isRefused = true;
    try {
      await this.#allocate(pod);
      isRefused = false;
    } finally {
      this.#observer?.judged(isRefused, performance.now() - begunAt);
    }
  }

  async #allocate(pod: Pod): Promise<void> {
    const { policy, scope } = this.#settings;
    const isPerPod = policy !== 'none' && scope === 'pod';
    const ofPod = isPerPod ? this.#merged((manager) => manager.hintsOfPod(pod)) : undefined;
    for (const container of containersInOrder(pod)) {
      const hint = ofPod ?? this.#hintOf(pod, container);
      for (const manager of this.#managers) await manager.allocate(pod, container, hint);
      if (policy === 'single-numa-node' && !isPerPod) this.#observer?.aligned('numa_node', 'container');
    }
    if (policy === 'single-numa-node' && isPerPod) this.#observer?.aligned('numa_node', 'pod');
  }

  #hintOf(pod: Pod, container: Container): Hint {
    if (this.#settings.policy === 'none') return anyNode;
    return this.#merged((manager) => manager.hintsOfContainer(pod, container));
  }

  #merged(hintsOf: (manager: ResourceManager) => ReturnType<ResourceManager['hintsOfPod']>): Hint {
    const hint = mergeHints(this.#managers.map(hintsOf), this.#settings);
    if (isAdmitted(this.#settings.policy, hint)) return hint;
    throw new AllocationError('Resources cannot be allocated with Topology locality', 'TopologyAffinityError');
  }
}
