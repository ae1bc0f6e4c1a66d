/** What a driver says of the use of a volume. Pure. */
import type { VolumeUsage } from './gen/csi.ts';

export interface CsiFigures {
  readonly availableBytes: number;
  readonly capacityBytes: number;
  readonly usedBytes: number;
  readonly inodesFree: number;
  readonly inodes: number;
  readonly inodesUsed: number;
}

/** Undefined where it does not say how many bytes. What it does not say else is 0, and nothing is below. */
export function figuresOf(usage: readonly VolumeUsage[]): CsiFigures | undefined {
  const bytes = usage.find(({ unit }) => unit === 'BYTES');
  const inodes = usage.find(({ unit }) => unit === 'INODES');
  if (bytes === undefined) return undefined;
  return {
    availableBytes: amount(bytes.available),
    capacityBytes: amount(bytes.total),
    usedBytes: amount(bytes.used),
    inodesFree: amount(inodes?.available),
    inodes: amount(inodes?.total),
    inodesUsed: amount(inodes?.used),
  };
}

const amount = (value: number | bigint | undefined): number => Math.max(0, Number(value ?? 0));
