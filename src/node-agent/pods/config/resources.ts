/**
 * Resources of containers in the units of Linux control groups.
 * @see {@link https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/ | Resource Management for
 *   Pods and Containers}
 */
import type { Container, EphemeralContainer, PodSpec } from '../../../api/gen/types/core-v1.ts';
import { qosClassOf } from '../../../api/core/pods/qos.ts';
import { parseQuantity } from '../../../machinery/quantity.ts';
import { isSidecar } from '../../pod-lifecycle/containers.ts';
import { hugePageResource, kernelPageSize } from './huge-pages.ts';
import type { LinuxContainerResources } from '../../runtime/gen/cri.ts';

const minShares = 2n;
const maxShares = 262_144n;
const minQuota = 1000n;
/** Of critical pods, and above. */
const systemPriority = 2_000_000_000;
/** Pods of this priority and above are critical for their node. */
const criticalPriority = systemPriority + 1000;

export interface ResourceSettings {
  readonly cpuCfsQuota: boolean;
  readonly cpuCfsQuotaPeriodUs: number;
  /** Bytes of the machine. */
  readonly memoryCapacity: bigint;
  readonly isCgroupV2: boolean;
  /** Bytes, as the machine has them. */
  readonly hugePageSizes: readonly number[];
  /** With its last process a container is not ended when one of them has no memory left. */
  readonly killsSingleProcess: boolean;
  /** Undefined where the kernel does not count what is swapped. */
  readonly swap: SwapSettings | undefined;
  /** Memory is kept for containers, and they are slowed before their limit: feature gate MemoryQoS. */
  readonly memoryQos: { readonly throttlingFactor: number } | undefined;
}

export interface SwapSettings {
  /** Burstable pods swap as much as their share of the memory is. */
  readonly isLimited: boolean;
  /** Bytes of the machine. */
  readonly capacity: bigint;
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
  const { cpuCfsQuota, cpuCfsQuotaPeriodUs, hugePageSizes } = settings;
  const swap = swapOf(container, spec, settings);
  const unified = {
    ...(settings.killsSingleProcess ? {} : { 'memory.oom.group': '1' }),
    ...swap.unified,
    ...memoryQosOf(container, settings),
  };
  return {
    cpuShares: sharesOf(cpuRequest ?? cpuLimit),
    cpuPeriod: cpuCfsQuotaPeriodUs,
    cpuQuota: cpuCfsQuota ? quotaOf(cpuLimit, cpuCfsQuotaPeriodUs) : 0n,
    memoryLimitInBytes: amountOf(limits['memory'], 0) ?? 0n,
    oomScoreAdj: oomScoreAdj(container, spec, settings.memoryCapacity),
    ...(swap.bytes === undefined ? {} : { memorySwapLimitInBytes: swap.bytes }),
    ...(hugePageSizes.length === 0 ? {} : { hugepageLimits: hugePageLimits(limits, hugePageSizes) }),
    ...(settings.isCgroupV2 && Object.keys(unified).length > 0 ? { unified } : {}),
  };
}

const hugePageLimits = (limits: Readonly<Record<string, string>>, sizes: readonly number[]) =>
  sizes.map((bytes) => ({
    pageSize: kernelPageSize(bytes),
    limit: amountOf(limits[hugePageResource(bytes)], 0) ?? 0n,
  }));

/** As v1 has it, bytes of memory and swap together; as v2 has it, a file. */
interface Swap {
  readonly bytes?: bigint;
  readonly unified?: Readonly<Record<string, string>>;
}

/** @see {@link https://kep.k8s.io/2400 | KEP-2400: Node system swap support} */
function swapOf(container: Container | EphemeralContainer, spec: PodSpec, settings: ResourceSettings): Swap {
  const { swap, isCgroupV2, memoryCapacity } = settings;
  const { requests = {}, limits = {} } = container.resources ?? {};
  if (swap === undefined) return {};
  if (!isCgroupV2) return { bytes: amountOf(limits['memory'], 0) ?? 0n };
  const request = amountOf(requests['memory'], 0) ?? 0n;
  const swaps =
    swap.isLimited &&
    (spec.priority ?? 0) < systemPriority &&
    qosClassOf(spec, false) === 'Burstable' &&
    request > 0n &&
    request !== amountOf(limits['memory'], 0);
  const bytes = swaps && memoryCapacity > 0n ? (swap.capacity * request) / memoryCapacity : 0n;
  return { unified: { 'memory.swap.max': String(bytes) } };
}

const pageBytes = 4096n;

/** @see {@link https://kep.k8s.io/2570 | KEP-2570: Memory QoS with cgroups v2} */
function memoryQosOf(
  { resources }: Container | EphemeralContainer,
  { memoryQos, memoryCapacity }: ResourceSettings,
): Readonly<Record<string, string>> {
  if (memoryQos === undefined) return {};
  const request = amountOf(resources?.requests?.['memory'], 0) ?? 0n;
  const limit = amountOf(resources?.limits?.['memory'], 0) ?? memoryCapacity;
  const above = Number(limit - request) * memoryQos.throttlingFactor;
  const high = ((request + BigInt(Math.max(0, Math.floor(above)))) / pageBytes) * pageBytes;
  return {
    ...(request > 0n ? { 'memory.min': String(request) } : {}),
    ...(limit > request && high > request ? { 'memory.high': String(high) } : {}),
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
