/** What allocation and repair report to metrics, and to the events for the owners of services. */
import type { Service } from '../../../../api/gen/types/core-v1.ts';

export interface ObservedRange {
  readonly kind: 'clusterIp' | 'nodePort';
  /** `10.0.0.0/24`, `30000-32767` */
  readonly text: string;
}

/** What a repair can find: a leak, a value that is used but not allocated, used by several, or outside of the range. */
export type FindingType = 'leak' | 'repair' | 'duplicate' | 'outOfRange';

export interface Finding {
  readonly type: FindingType;
  readonly value: string | number;
  /** The services that use it; empty for a leak. */
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
