/** Where candidates find out who leads. */

export interface LeaderRecord {
  /** Empty when the lock is free. */
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  /** RFC 3339. Shown to people; candidates count by their own clocks. */
  readonly acquireTime: string;
  readonly renewTime: string;
  readonly leaderTransitions: number;
  /** Who should have the lock once its holder gives it up, where the API server elects; absent without an election. */
  readonly preferredHolder?: string;
}

/** A record, and the version that a change of it has to be based on. */
export interface HeldRecord {
  readonly record: LeaderRecord;
  /** Differs whenever the record was written. */
  readonly version: string;
}

/** Writes reject with a conflict when the record was written since it was read. */
export interface ResourceLock {
  /** `kube-system/kube-scheduler`, for messages. */
  readonly name: string;
  /** Undefined where there is none yet. */
  get(signal: AbortSignal): Promise<HeldRecord | undefined>;
  create(record: LeaderRecord, signal: AbortSignal): Promise<HeldRecord>;
  /** @param before what was read or written last */
  update(record: LeaderRecord, before: HeldRecord, signal: AbortSignal): Promise<HeldRecord>;
}
