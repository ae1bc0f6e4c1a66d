/**
 * Where an informer reads objects from: a list at a version, and the changes after it.
 *
 * Two sources keep the contract of `testing/source-contract.ts`: a store of the same process, whose objects are shared
 * and not copied, and an API server over HTTP.
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes | API
 *   Concepts: efficient detection of changes}
 */
import type { Labels } from '../machinery/label-selector.ts';

export interface Source<T> {
  /** Plural name of the resource, for the log. */
  readonly resource: string;
  readonly view: ObjectView<T>;
  /** Whether nothing else refers to the objects: who reads them may change them before anyone sees them. */
  readonly givesObjectsAway?: boolean;
  /**
   * The state as pages of one version. Rejects with a `StatusError` of code 410 when the version of the first page
   * expired before the last one was read.
   */
  list(options: SourceListOptions): AsyncIterable<SourcePage<T>>;
  /** Rejects with a `StatusError` of code 410 when changes after that version are no longer known. */
  watch(options: SourceWatchOptions): Promise<SourceWatch<T>>;
}

/** What an informer needs to know of an object. */
export interface ObjectView<T> {
  /** Text that is the object's alone among those of its resource. */
  keyOf(object: T): string;
  /** The key of the object with that name; `namespace` is empty for cluster-wide ones. */
  keyFor(namespace: string, name: string): string;
  /** Empty for cluster-wide objects. */
  namespaceOf(object: T): string;
  labelsOf(object: T): Labels | undefined;
  /** Equal for the same version of an object, and only then. */
  versionOf(object: T): string | number;
}

export interface SourceListOptions {
  /** The list is not older than this version; whatever the source has when absent. */
  readonly notBefore: string | undefined;
  /** Whether caches of the source are to be passed by, because the source gave an older list than was asked for. */
  readonly isMostRecent?: boolean;
  /** Whether the list may come in several pages. Without them it does not expire while it is read. */
  readonly inPages: boolean;
  readonly signal: AbortSignal;
}

export interface SourcePage<T> {
  readonly objects: readonly T[];
  /** Of the whole list: a watch from there has all changes since. */
  readonly version: string;
}

export interface SourceWatchOptions {
  /** Changes after this version. */
  readonly after: string;
  /** Ends the wait for the beginning of the watch; a watch that runs is ended by `close`. */
  readonly signal: AbortSignal;
  /** `take` has something, or the watch ended. Not called from inside of `take`. */
  readonly onReady: () => void;
}

export interface SourceEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  /** Of a deletion, the last that was seen of the object; absent for a bookmark. */
  readonly object?: T | undefined;
}

export interface SourceWatch<T> {
  /** What came, in the order of its versions. `onReady` is called again for what is left. */
  take(): readonly SourceEvent<T>[];
  /** All changes up to this version were taken: another watch goes on from there. */
  readonly version: string;
  /** Set once the watch has ended. */
  readonly ended: WatchEnd | undefined;
  close(): void;
}

export interface WatchEnd {
  /** Absent when the watch ended because its time was over. Code 410: the next one cannot begin where it ended. */
  readonly error?: unknown;
}
