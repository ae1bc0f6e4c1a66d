/** What a manager of a resource says about the NUMA nodes that could serve a container, and is told of them. */
import type { Container, Pod } from '../../../api/gen/types/core-v1.ts';
import type { Refusal } from '../../pods/admission/admission-request.ts';
import type { NumaMask } from './numa-mask.ts';

export interface Hint {
  /** Undefined: any node. */
  readonly affinity: NumaMask | undefined;
  /** No choice has fewer nodes. */
  readonly preferred: boolean;
}

/** By resource. No list: any node does; an empty one: none does. */
export type Hints = ReadonlyMap<string, readonly Hint[] | undefined>;

export const anyNode: Hint = { affinity: undefined, preferred: true };
export const noHints: Hints = new Map();

/** Manages a resource of which containers get parts of their own. */
export interface ResourceManager {
  hintsOfContainer(pod: Pod, container: Container): Hints;
  /** Of all containers together. */
  hintsOfPod(pod: Pod): Hints;
  /** What the container has already stays. Throws, or rejects with, an `AllocationError`. */
  allocate(pod: Pod, container: Container, hint: Hint): void | Promise<void>;
  /** The pod has ended. */
  release(uid: string): void;
}

/** Why a container does not get what it asks for. */
export class AllocationError extends Error {
  override readonly name = 'AllocationError';
  /** The reason of the pod, where it has one of its own. */
  readonly reason: string | undefined;

  constructor(message: string, reason?: string) {
    super(message);
    this.reason = reason;
  }
}

export const refusalOfAllocation = (error: Error): Refusal =>
  error instanceof AllocationError && error.reason !== undefined
    ? { reason: error.reason, message: error.message }
    : {
        reason: 'UnexpectedAdmissionError',
        message: `Allocate failed due to ${error.message}, which is unexpected`,
      };
