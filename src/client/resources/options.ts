/**
 * What callers can say about a request.
 * @see {@link https://kubernetes.io/docs/reference/kubernetes-api/common-parameters/common-parameters/ | Common
 *   parameters}
 */

export interface RequestOptions {
  /** Ends the request; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** For the request with its retries, in place of the client's. */
  readonly timeoutMs?: number;
}

export interface GetOptions extends RequestOptions {
  /** `0`: any version that the server has in its cache. The most recent one when absent. */
  readonly resourceVersion?: string;
}

export interface WriteOptions extends RequestOptions {
  /** Goes through everything but the write. */
  readonly dryRun?: boolean;
  /** Who owns the fields that are written. */
  readonly fieldManager?: string;
  /** What the server does about unknown and duplicate fields. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes fields from other managers instead of failing with a conflict. */
  readonly force?: boolean;
}

export interface DeleteOptions extends RequestOptions {
  /** Seconds that the object gets to end in good order; 0 deletes at once. */
  readonly gracePeriodSeconds?: number;
  /** What happens to dependent objects. */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  /** The deletion fails with a conflict unless these hold. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

export interface Selection {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends Selection, RequestOptions {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** Objects in one answer; its `metadata.continue` leads to the next ones. */
  readonly limit?: number;
  readonly continue?: string;
}

export interface ListAllOptions extends Selection, RequestOptions {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** Objects in one request; 500 when absent, all at once when 0. */
  readonly pageSize?: number;
  /**
   * The objects come one by one over a watch (KEP-3157), which costs the server less memory. In pages where the server
   * does not do that.
   */
  readonly stream?: boolean;
}

export interface WatchOptions extends Selection {
  readonly signal?: AbortSignal;
  /** Changes after this version. When absent, the watch begins with what exists, as ADDED. */
  readonly resourceVersion?: string;
  /** Yields bookmarks too: versions up to which all changes were told. */
  readonly bookmarks?: boolean;
  /**
   * Begins with what exists and a bookmark with the annotation `k8s.io/initial-events-end` (KEP-3157); this bookmark is
   * yielded in any case.
   */
  readonly sendInitialEvents?: boolean;
  /** How long one connection lasts at least, and at most twice as long; 300 when absent. */
  readonly minWatchSeconds?: number;
}

/** The body of a patch, in one of its forms. */
export type Patch =
  /** RFC 7396: members replace, null removes. */
  | { readonly merge: object }
  /** RFC 6902: a list of operations. */
  | { readonly json: readonly JsonPatchOperation[] }
  /** As merge, and lists are merged by their keys. For built-in types only. */
  | { readonly strategic: object };

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}
