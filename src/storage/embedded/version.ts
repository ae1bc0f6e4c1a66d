import type { KeyValue } from '../interface.ts';

/** A lease as the store keeps it. Its keys are found by their newest version. */
export interface Lease {
  /** A positive safe integer; the `LeaseId` is its decimal text. */
  readonly id: number;
  readonly ttlMs: number;
  /** By the wall clock: what is stored. */
  readonly expiresAtMs: number;
  /** By the steady clock of this process. */
  readonly deadlineMs: number;
  /** Keys that have been attached; some may have left it since. */
  readonly keys: Set<KeyHistory>;
}

/** All versions of one key that are kept, the newest first. */
export interface KeyHistory {
  /** The key as a byte string (see `../key-order.ts`). */
  readonly bytes: string;
  readonly key: string;
  newest: Version | undefined;
}

/** One version of one key, or its deletion. */
export interface Version {
  readonly history: KeyHistory;
  readonly modRevision: number;
  /** 0 for a deletion. */
  readonly createRevision: number;
  readonly lease: Lease | undefined;
  /** The version before; gone once compaction has dropped it. */
  older: Version | undefined;
  /** Present until the journal has the value, and as long as the cache of recent values holds it. */
  value: Buffer | undefined;
}

export const isDeletion = (version: Version): boolean => version.createRevision === 0;

export const noBytes: Buffer = Buffer.alloc(0);

/** The version, or deletion, that a reader at `revision` finds. */
export function versionAt(history: KeyHistory, revision: number): Version | undefined {
  let version = history.newest;
  while (version !== undefined && version.modRevision > revision) version = version.older;
  return version;
}

/** As `versionAt`, where a deletion counts as nothing. */
export function liveVersionAt(history: KeyHistory, revision: number): Version | undefined {
  const version = versionAt(history, revision);
  return version === undefined || isDeletion(version) ? undefined : version;
}

export function toKeyValue(version: Version, value: Buffer): KeyValue {
  return { key: version.history.key, value, modRevision: version.modRevision, createRevision: version.createRevision };
}
