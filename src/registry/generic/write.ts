import type { Work } from '../../base/work-description.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { isStatusError } from '../../machinery/status.ts';
import type { WriteGuard } from '../../storage/interface.ts';
import type { StoredObject } from '../../storage/objects.ts';
import type { StrategyContext } from '../strategy.ts';

/** What every write carries besides its object. */
export interface WriteRequest extends Partial<Work> {
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
  /** False when no more warnings are told. */
  warn(text: string): boolean;
  /**
   * Marks where the warnings of an attempt begin; the returned function removes all since. Absent without warnings.
   */
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
 * object.
 */
export interface WriteHooks<T extends KubeObject = KubeObject> {
  beginCreate?(object: T, request: WriteRequest): Promise<BegunWrite>;
  beginUpdate?(object: T, old: T, request: WriteRequest): Promise<BegunWrite>;
  /** After the object is gone, at that revision; `object` is as it was last stored. */
  afterDelete?(object: T, removal: { readonly revision: number }): Promise<void>;
  /** Fills in what servers of older versions did not store; runs on objects as they come out of the store. */
  complete?(object: T): void;
}

export interface BegunWrite {
  /**
   * What must hold at the revision of the write, asked for before each attempt; `again` when the last one failed for
   * it. Undefined when it cannot hold any more: then everything begins anew. Absent where the write rests on nothing.
   */
  readonly guards?: (again: boolean) => Promise<readonly WriteGuard[] | undefined>;
  /** Is told how the write ended; takes back what was done for it when it was refused, so that it can begin anew. */
  readonly finish: Finish;
}

/** `revision`: at which the object was as written; 0 where nothing was. Never throws. */
export type Finish = (outcome: WriteOutcome, revision: number) => Promise<void> | void;

/** `unknown`: the store did not answer, the write may have been applied. What it holds must be kept then. */
export type WriteOutcome = 'applied' | 'refused' | 'unknown';

/** How a write ended that the store was asked for and that failed. */
export const outcomeOfFailure = (error: unknown): WriteOutcome =>
  isStatusError(error) && error.code < 500 ? 'refused' : 'unknown';

export const nothingBegun: BegunWrite = { finish: () => undefined };
