/** Limits of the classes of pods: burstable ones have CPU by what they ask for, and best-effort ones what is left. */
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { podRequests } from '../../../api/core/pods/pod-requests.ts';
import { qosClassOf } from '../../../api/core/pods/qos.ts';
import type { CgroupLimits } from './cgroup-files.ts';
import { type NodeLimits, sharesOf } from './node-limits.ts';

export interface ClassLimits {
  readonly Burstable: CgroupLimits;
  readonly BestEffort: CgroupLimits;
}

const sumOptions = { podLevel: false, fromStatus: false, overhead: true } as const;

/** @param withMinimum what pods ask for is kept from reclaim: feature gate MemoryQoS */
export function classLimits(
  pods: readonly Pick<Pod, 'spec'>[],
  { pods: all, memoryReservedPercent: percent }: NodeLimits,
  withMinimum: boolean,
): ClassLimits {
  const sums = { cpu: 0n, Guaranteed: 0n, Burstable: 0n, BestEffort: 0n };
  for (const { spec } of pods) {
    const qos = qosClassOf(spec, false);
    const requests = podRequests({ spec }, sumOptions);
    if (qos === 'Burstable') sums.cpu += requests.get('cpu')?.scaledValue(-3) ?? 0n;
    sums[qos] += requests.get('memory')?.scaledValue(0) ?? 0n;
  }
  const least = (amount: bigint): bigint => (amount > 0n ? amount : 0n);
  const kept = (amount: bigint): bigint => (amount * BigInt(percent ?? 0)) / 100n;
  const burstable = least((all.memoryBytes ?? 0n) - kept(sums.Guaranteed));
  const limited = percent !== undefined && all.memoryBytes !== undefined;
  return {
    Burstable: {
      cpuShares: sharesOf(sums.cpu),
      ...(limited ? { memoryBytes: burstable } : {}),
      ...(withMinimum ? { memoryMinBytes: sums.Burstable } : {}),
    },
    BestEffort: {
      cpuShares: 2n,
      ...(limited ? { memoryBytes: least(burstable - kept(sums.Burstable)) } : {}),
    },
  };
}
