/** Between objects and the store: how a value is written, and how what was written is read. */

/** What a value belongs to. */
export interface ValueContext {
  /** The key in the store. Providers that authenticate bind the value to it, so that it cannot be moved to another. */
  readonly key: string;
  /** `secrets`, `deployments.apps`; for the metrics. */
  readonly resource: string;
}

export interface PlainValue {
  readonly value: Buffer;
  /** Written otherwise than values are written now: the next update writes it anew, also one that changes nothing. */
  readonly stale: boolean;
}

/** A provider answers at once where it has the key at hand; only one whose key is elsewhere makes others wait. */
export type MaybePromise<T> = T | Promise<T>;

export interface ValueTransformer {
  /** Throws, or rejects, when the value cannot be had in the clear. May return the value it was given. */
  fromStorage(value: Buffer, context: ValueContext): MaybePromise<PlainValue>;
  /** The parts of the stored value, in order: the writer joins them, once. */
  toStorage(value: Uint8Array, context: ValueContext): MaybePromise<readonly Uint8Array[]>;
}

export const fresh = (value: Buffer): PlainValue => ({ value, stale: false });
