/**
 * The messages of etcd's API that a store needs, as plain objects. `etcd.proto` has them in protobuf's words.
 *
 * Keys are UTF-8 text. Revisions are numbers: an int64 that stays far below 2^53. Lease ids use all 64 bits and are
 * bigints. `revision` of an answer is `header.revision`, the store's revision when the answer was made.
 */

export interface KeyValue {
  readonly key: string;
  /** Memory of its own; never a slice of a larger buffer. */
  readonly value: Buffer;
  readonly modRevision: number;
  readonly createRevision: number;
}

export interface RangeRequest {
  readonly key: string;
  /** Exclusive end; one key when absent. See `prefixEnd`. */
  readonly rangeEnd?: Uint8Array;
  readonly limit?: number;
  readonly revision?: number;
  readonly keysOnly?: boolean;
  readonly countOnly?: boolean;
}

export interface RangeResponse {
  readonly revision: number;
  readonly kvs: KeyValue[];
  readonly count: number;
}

export interface PutRequest {
  readonly key: string;
  readonly value: Uint8Array;
  readonly lease?: bigint;
}

/** What a transaction does. `deleteRange` deletes one key. */
export type RequestOp =
  | { readonly range: RangeRequest }
  | { readonly put: PutRequest }
  | { readonly deleteRange: { readonly key: string } };

/**
 * The key has this modRevision (0: it does not exist), or every key from `key` to `rangeEnd` (exclusive) has a
 * modRevision below that one.
 */
export type Compare =
  | { readonly key: string; readonly modRevision: number }
  | { readonly key: string; readonly rangeEnd: Uint8Array; readonly modRevisionBelow: number };

export interface TxnRequest {
  /** Succeeds when all of these hold. */
  readonly compare: readonly Compare[];
  readonly success: readonly RequestOp[];
  readonly failure: readonly RequestOp[];
}

export interface TxnResponse {
  readonly revision: number;
  readonly succeeded: boolean;
  /** One per operation of the branch that ran; undefined for other operations than ranges. */
  readonly responses: ReadonlyArray<RangeResponse | undefined>;
}

export interface WatchCreateRequest {
  readonly key: string;
  readonly rangeEnd?: Uint8Array;
  /** First revision to hear of; from now on when 0. */
  readonly startRevision: number;
  readonly progressNotify: boolean;
  readonly prevKv: boolean;
}

export interface WatchEvent {
  readonly type: 'put' | 'delete';
  readonly kv: KeyValue;
  readonly prevKv: KeyValue | undefined;
}

export interface WatchResponse {
  readonly revision: number;
  readonly created: boolean;
  readonly canceled: boolean;
  /** Above 0 when the watch was canceled because it wanted history older than this. */
  readonly compactRevision: number;
  readonly cancelReason: string;
  /** The same response continues in the next message. */
  readonly fragment: boolean;
  readonly events: readonly WatchEvent[];
}

export interface LeaseGrantResponse {
  readonly revision: number;
  readonly id: bigint;
  readonly ttlSeconds: number;
}

export interface StatusResponse {
  readonly revision: number;
  readonly version: string;
  readonly dbSizeBytes: number;
  readonly leader: bigint;
  readonly isLearner: boolean;
}

/** An answer of which only the revision matters. */
export interface HeaderResponse {
  readonly revision: number;
}

/** The exclusive end of the range of all keys that begin with `prefix`; `everything` for the empty prefix. */
export function prefixEnd(prefix: string): Uint8Array {
  const end = Buffer.from(prefix);
  for (let last = end.length - 1; last >= 0; last--) {
    if (end[last]! < 0xff) {
      end[last]!++;
      return end.subarray(0, last + 1);
    }
  }
  return everythingEnd;
}

/** etcd's way to say "every key from `key` on". */
const everythingEnd = Buffer.from([0]);

/** The least key there is: where a range over everything begins (an empty key is refused). */
export const firstKey = '\u0000';
