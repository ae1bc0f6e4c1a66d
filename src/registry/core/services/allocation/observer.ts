/** What allocation and repair tell those who measure them, and those who write it down for the owners of services. */
import type { Service } from '../../../../api/gen/types/core-v1.ts';

export interface ObservedRange {
  readonly kind: 'clusterIp' | 'nodePort';
  /** `10.0.0.0/24`, `30000-32767` */
  readonly text: string;
}

/** What a repair can find: taken by nobody, held but not taken, held by several, or not of the range. */
export type FindingType = 'leak' | 'repair' | 'duplicate' | 'outOfRange';

export interface Finding {
  readonly type: FindingType;
  readonly value: string | number;
  /** Who holds it; nobody in case of a leak. */
  readonly service?: Service;
}

export interface AllocationObserver {
  /** A value was asked for: a certain one (static), or any (dynamic). */
  asked(range: ObservedRange, scope: 'static' | 'dynamic', failed: boolean, milliseconds: number): void;
  found(range: ObservedRange, finding: Finding): void;
  repairFailed(range: ObservedRange): void;
}

/** How full a range is, as this server last saw it. */
export interface RangeUsage extends ObservedRange {
  readonly taken: number;
  readonly free: number;
}

export const noObserver: AllocationObserver = {
  asked: () => undefined,
  found: () => undefined,
  repairFailed: () => undefined,
};
