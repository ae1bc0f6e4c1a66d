import type { KubeObject } from '../../machinery/object-meta.ts';
import { isStatusError } from '../../machinery/status.ts';
import type { StoredObject } from '../../storage/objects.ts';
import type { StrategyContext } from '../strategy.ts';

/** What every write carries besides its object. */
export interface WriteRequest {
  readonly namespace: string;
  /** From the URL; empty for a create. */
  readonly name: string;
  /** `''`, `status`, `scale`, … */
  readonly subresource: string;
  readonly context: StrategyContext;
  readonly dryRun: boolean;
  /** Options object as admission sees it (CreateOptions, UpdateOptions, …). */
  readonly options: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  warn(text: string): void;
  /** Marks where the warnings of an attempt begin; what it returns takes back all since. Absent where nobody is warned. */
  beginWarnings?(): () => void;
}

export interface WriteResult {
  /** Revision 0 when nothing was stored (dry run). */
  readonly stored: StoredObject;
  readonly created: boolean;
}

export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/**
 * Work around a write that reaches beyond the object: allocations. `begin` runs before validation and may change the
 * object; what it returns is told how the write ended and takes back what it did when it failed.
 */
export interface WriteHooks<T extends KubeObject = KubeObject> {
  beginCreate?(object: T, request: WriteRequest): Promise<Finish>;
  beginUpdate?(object: T, old: T, request: WriteRequest): Promise<Finish>;
  /** After the object is gone; `object` is as it was last stored. */
  afterDelete?(object: T, request: { readonly dryRun: boolean }): Promise<void>;
  /** Fills in what servers of older versions did not store; runs on objects as they come out of the store. */
  complete?(object: T): void;
}

export type Finish = (outcome: WriteOutcome) => Promise<void> | void;

/** `unknown`: the store did not answer, the write may have been applied. What it holds must be kept then. */
export type WriteOutcome = 'applied' | 'refused' | 'unknown';

/** How a write ended that the store was asked for and that failed. */
export const outcomeOfFailure = (error: unknown): WriteOutcome => (isStatusError(error) && error.code < 500 ? 'refused' : 'unknown');

export const finishNothing: Finish = () => undefined;
