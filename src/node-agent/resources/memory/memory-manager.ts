/**
 * Memory of containers: the policy, and its state on the disk. With the policy `None` the kernel takes memory from
 * whichever node it likes.
 */
import type { Logger } from '../../../base/logger.ts';
import type { PinningObserver } from '../../metrics/pinning.ts';
import { CheckpointError, CheckpointWriter, readCheckpoint } from '../checkpoint-file.ts';
import { noHints, type ResourceManager } from '../topology/hints.ts';
import {
  emptyMemory,
  formatMemoryState,
  type MachineMemory,
  type MemoryBlock,
  type MemoryState,
  parseMemoryState,
} from './memory-state.ts';
import { isGuaranteed, StaticMemory } from './static-memory.ts';

export interface MemoryManager extends ResourceManager {
  /** Of a container; none with the policy `None`. */
  blocksOf(uid: string, container: string): readonly MemoryBlock[];
  /** What containers can have, by node. */
  readonly machine: MachineMemory;
  uids(): readonly string[];
}

export interface MemoryManagerOptions {
  /** `/var/lib/kubelet/memory_manager_state` */
  readonly path: string;
  /** Undefined with the policy `None`. */
  readonly machine: MachineMemory | undefined;
  readonly observer?: PinningObserver | undefined;
  readonly log: Logger;
}

/** Rejects with a `CheckpointError` when the state of before cannot be taken over. */
export async function openMemoryManager(options: MemoryManagerOptions): Promise<MemoryManager> {
  const { path, machine, observer, log } = options;
  const policy = machine === undefined ? 'None' : 'Static';
  const text = await readCheckpoint(path);
  const state = text === undefined ? undefined : restored(path, text, policy);
  if (machine === undefined) {
    await new CheckpointWriter(path, () => formatMemoryState(policy, emptyMemory)).save();
    return sharedMemory;
  }
  const memory = new StaticMemory(machine, state);
  const writer = new CheckpointWriter(path, () => formatMemoryState(policy, memory.state));
  await writer.save();
  return {
    hintsOfContainer: (pod, container) => memory.hintsOfContainer(pod, container),
    hintsOfPod: (pod) => memory.hintsOfPod(pod),
    async allocate(pod, container, hint) {
      if (isGuaranteed(pod)) observer?.asked();
      try {
        if (memory.allocate(pod, container, hint)) await writer.save();
      } catch (error) {
        observer?.failed();
        throw error;
      }
    },
    release(uid) {
      if (!memory.release(uid)) return;
      writer.save().catch((error: unknown) => log.error({ err: error }, 'the state of memory could not be written'));
    },
    blocksOf: (uid, container) => memory.blocksOf(uid, container),
    machine,
    uids: () => memory.uids(),
  };
}

const sharedMemory: MemoryManager = {
  hintsOfContainer: () => noHints,
  hintsOfPod: () => noHints,
  allocate: () => undefined,
  release: () => undefined,
  blocksOf: () => [],
  machine: {},
  uids: () => [],
};

function restored(path: string, text: string, policy: string): MemoryState {
  try {
    return parseMemoryState(text, policy);
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    throw new CheckpointError(
      `could not restore state from checkpoint: ${error.message}, please drain this node and delete the memory ` +
        `manager checkpoint file "${path}" before restarting Kubelet`,
      { cause: error },
    );
  }
}
