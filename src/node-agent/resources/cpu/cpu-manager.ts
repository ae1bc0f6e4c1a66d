/**
 * CPUs of containers: the policy, and its state on the disk. With the policy `none` all containers share all CPUs.
 */
import type { Logger } from '../../../base/logger.ts';
import type { CpuFigures, CpuObserver } from '../../metrics/cpu-metrics.ts';
import { CheckpointError, CheckpointWriter, readCheckpoint } from '../checkpoint-file.ts';
import { noHints, type ResourceManager } from '../topology/hints.ts';
import type { CpuOptions } from './cpu-options.ts';
import { CpuSet } from './cpu-set.ts';
import { formatCpuState, parseCpuState } from './cpu-state.ts';
import { exclusiveCpus, StaticCpus } from './static-cpus.ts';
import type { CpuTopology } from './topology.ts';

export interface CpuManager extends ResourceManager {
  /** Where a container is to run; undefined: wherever the kernel likes. */
  cpusOf(uid: string, container: string): CpuSet | undefined;
  /** What the container has for itself. */
  exclusiveOf(uid: string, container: string): CpuSet | undefined;
  /** What containers can have for themselves. */
  readonly allocatable: CpuSet;
  readonly figures: CpuFigures;
  /** Pods that have CPUs for themselves. */
  uids(): readonly string[];
}

export interface CpuManagerOptions {
  /** `/var/lib/kubelet/cpu_manager_state` */
  readonly path: string;
  readonly policy: 'none' | 'static';
  readonly options: CpuOptions;
  readonly topology: CpuTopology;
  /** Named, or only how many. */
  readonly reserved: CpuSet | number;
  readonly observer?: CpuObserver | undefined;
  readonly log: Logger;
}

/** Rejects with a `CheckpointError` when the state of before cannot be taken over. */
export async function openCpuManager(options: CpuManagerOptions): Promise<CpuManager> {
  const { path, policy } = options;
  if (policy === 'static') checkReserved(options.reserved);
  const text = await readCheckpoint(path);
  const state = text === undefined ? undefined : restored(path, () => parseCpuState(text, policy));
  if (policy === 'none') {
    await new CheckpointWriter(path, () => formatCpuState(policy, emptyState)).save();
    return sharedCpus;
  }
  const cpus = new StaticCpus(options, state);
  const writer = new CheckpointWriter(path, () => formatCpuState(policy, cpus.state));
  await writer.save();
  return staticManager(cpus, writer, options);
}

const emptyState = { defaultCpus: CpuSet.empty, assignments: new Map() };

const sharedCpus: CpuManager = {
  hintsOfContainer: () => noHints,
  hintsOfPod: () => noHints,
  allocate: () => undefined,
  release: () => undefined,
  cpusOf: () => undefined,
  exclusiveOf: () => undefined,
  allocatable: CpuSet.empty,
  figures: { exclusive: 0, shared: 0 },
  uids: () => [],
};

function staticManager(
  cpus: StaticCpus,
  writer: CheckpointWriter,
  { options, log, observer }: CpuManagerOptions,
): CpuManager {
  return {
    hintsOfContainer: (pod, container) => cpus.hintsOfContainer(pod, container),
    hintsOfPod: (pod) => cpus.hintsOfPod(pod),
    async allocate(pod, container, hint) {
      if (exclusiveCpus(pod, container) === 0) return;
      observer?.asked();
      try {
        if (cpus.allocate(pod, container, hint)) await writer.save();
        if (options.fullCores) observer?.aligned?.();
      } catch (error) {
        observer?.failed();
        throw error;
      }
    },
    release(uid) {
      if (!cpus.release(uid)) return;
      writer.save().catch((error: unknown) => log.error({ err: error }, 'the state of CPUs could not be written'));
    },
    cpusOf: (uid, container) => cpus.cpusOf(uid, container),
    exclusiveOf: (uid, container) => cpus.exclusiveOf(uid, container),
    allocatable: cpus.allocatable,
    get figures() {
      return cpus.figures;
    },
    uids: () => cpus.uids(),
  };
}

function checkReserved(reserved: CpuSet | number): void {
  if ((typeof reserved === 'number' ? reserved : reserved.size) === 0)
    throw new CheckpointError(
      '[cpumanager] the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero',
    );
}

function restored<T>(path: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    throw new CheckpointError(
      `could not restore state from checkpoint: ${error.message}, please drain this node and delete the CPU manager ` +
        `checkpoint file "${path}" before restarting Kubelet`,
      { cause: error },
    );
  }
}
