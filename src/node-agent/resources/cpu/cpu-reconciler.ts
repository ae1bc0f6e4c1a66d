/**
 * Tells the runtime where containers run: shared CPUs change whenever a container gets some for itself, or leaves
 * them.
 */
import type { Logger } from '../../../base/logger.ts';
import type { ContainerRuntime } from '../../runtime/container-runtime.ts';
import type { PodAllocations } from '../pod-allocations.ts';

export interface RunningContainer {
  readonly uid: string;
  readonly name: string;
  readonly containerId: string;
}

export interface CpuReconcilerOptions {
  readonly allocations: Pick<PodAllocations, 'cpusOf'>;
  readonly runtime: Pick<ContainerRuntime, 'updateContainerResources'>;
  readonly running: () => readonly RunningContainer[];
  readonly log: Logger;
}

export class CpuReconciler {
  readonly #options: CpuReconcilerOptions;
  /** By id of the container: what the runtime was told last. */
  #told = new Map<string, string>();

  constructor(options: CpuReconcilerOptions) {
    this.#options = options;
  }

  /** A container that cannot be told is told again with the next round. */
  async reconcile(): Promise<void> {
    const { allocations, runtime, running, log } = this.#options;
    const told = new Map<string, string>();
    for (const { uid, name, containerId } of running()) {
      const wanted = allocations.cpusOf(uid, name);
      if (wanted === '') continue;
      try {
        if (this.#told.get(containerId) !== wanted)
          await runtime.updateContainerResources({ containerId, linux: { cpusetCpus: wanted } });
        told.set(containerId, wanted);
      } catch (error) {
        log.warn({ err: error, containerId, cpus: wanted }, 'the CPUs of a container could not be set');
      }
    }
    this.#told = told;
  }
}
