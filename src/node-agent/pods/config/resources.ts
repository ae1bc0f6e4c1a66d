/**
 * Resources of containers in the units of Linux control groups.
 * @see {@link https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/ | Resource Management for
 *   Pods and Containers}
 */
import type { Container, EphemeralContainer, PodSpec } from '../../../api/gen/types/core-v1.ts';
import { qosClassOf } from '../../../api/core/pods/qos.ts';
import { parseQuantity } from '../../../machinery/quantity.ts';
import { isSidecar } from '../../pod-lifecycle/containers.ts';
import type { LinuxContainerResources } from '../../runtime/gen/cri.ts';

const minShares = 2n;
const maxShares = 262_144n;
const minQuota = 1000n;
/** Pods of this priority and above are critical for their node. */
const criticalPriority = 2_000_000_000 + 1000;

export interface ResourceSettings {
  readonly cpuCfsQuota: boolean;
  readonly cpuCfsQuotaPeriodUs: number;
  /** Bytes of the machine. */
  readonly memoryCapacity: bigint;
  readonly isCgroupV2: boolean;
}

const amountOf = (text: string | undefined, scale: number): bigint | undefined =>
  text === undefined ? undefined : parseQuantity(text).scaledValue(scale);

export const sharesOf = (milliCpu: bigint): bigint => {
  const shares = (milliCpu * 1024n) / 1000n;
  return milliCpu === 0n || shares < minShares ? minShares : shares > maxShares ? maxShares : shares;
};

/** 0: no limit. */
export function quotaOf(milliCpu: bigint, periodUs: number): bigint {
  if (milliCpu === 0n) return 0n;
  const quota = (milliCpu * BigInt(periodUs)) / 1000n;
  return quota < minQuota ? minQuota : quota;
}

export function containerResources(
  container: Container | EphemeralContainer,
  spec: PodSpec,
  settings: ResourceSettings,
): LinuxContainerResources {
  const { requests = {}, limits = {} } = container.resources ?? {};
  const cpuLimit = amountOf(limits['cpu'], -3) ?? 0n;
  const cpuRequest = amountOf(requests['cpu'], -3);
  const { cpuCfsQuota, cpuCfsQuotaPeriodUs } = settings;
  return {
    cpuShares: sharesOf(cpuRequest ?? cpuLimit),
    cpuPeriod: cpuCfsQuotaPeriodUs,
    cpuQuota: cpuCfsQuota ? quotaOf(cpuLimit, cpuCfsQuotaPeriodUs) : 0n,
    memoryLimitInBytes: amountOf(limits['memory'], 0) ?? 0n,
    oomScoreAdj: oomScoreAdj(container, spec, settings.memoryCapacity),
    ...(settings.isCgroupV2 ? { unified: { 'memory.oom.group': '1' } } : {}),
  };
}

/** Which processes the kernel ends first when the machine has no memory left: those with the highest score. */
export function oomScoreAdj(container: Container | EphemeralContainer, spec: PodSpec, memoryCapacity: bigint): number {
  if ((spec.priority ?? 0) >= criticalPriority) return -997;
  const qos = qosClassOf(spec, false);
  if (qos === 'Guaranteed') return -997;
  if (qos === 'BestEffort') return 1000;
  const own = burstableScore(container, memoryCapacity);
  const isSide = spec.initContainers?.some((init) => init.name === container.name && isSidecar(init)) === true;
  if (!isSide) return own;
  const least = Math.min(...(spec.containers ?? []).map((main) => memoryRequestOf(main)).map(Number));
  return Math.min(own, scoreOf(BigInt(least), memoryCapacity));
}

const memoryRequestOf = ({ resources }: Container | EphemeralContainer): bigint =>
  amountOf(resources?.requests?.['memory'], 0) ?? 0n;

const burstableScore = (container: Container | EphemeralContainer, capacity: bigint): number =>
  scoreOf(memoryRequestOf(container), capacity);

function scoreOf(request: bigint, capacity: bigint): number {
  const score = capacity === 0n ? 1000 : 1000 - Number((1000n * request) / capacity);
  // Guaranteed pods are below, and pods without any request above.
  return score < 3 ? 3 : score === 1000 ? 999 : score;
}
