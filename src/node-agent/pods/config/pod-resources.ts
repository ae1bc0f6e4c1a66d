/** Resources of a whole pod: the sums over its containers, as its control group and its sandbox have them. */
import type { Pod, PodSpec } from '../../../api/gen/types/core-v1.ts';
import { podLimits, podRequests, type ResourceSums } from '../../../api/core/pods/pod-requests.ts';
import { qosClassOf } from '../../../api/core/pods/qos.ts';
import type { LinuxContainerResources } from '../../runtime/gen/cri.ts';
import { hugePageResource, kernelPageSize } from './huge-pages.ts';
import { quotaOf, type ResourceSettings, sharesOf } from './resources.ts';

const sumOptions = { podLevel: false, fromStatus: false, overhead: true } as const;
const inUnits = (sums: ResourceSums, name: string, scale: number): bigint => sums.get(name)?.scaledValue(scale) ?? 0n;

/** What the sandbox is told: the sums, without a word on what no container limits. */
export function sandboxResources(pod: Pick<Pod, 'spec'>, settings: ResourceSettings): LinuxContainerResources {
  const { spec } = pod;
  const requests = podRequests({ spec }, sumOptions);
  const limits = podLimits({ spec }, sumOptions);
  const period = settings.cpuCfsQuotaPeriodUs;
  return {
    cpuPeriod: period,
    cpuShares: sharesOf(inUnits(requests, 'cpu', -3)),
    cpuQuota: settings.cpuCfsQuota ? quotaOf(inUnits(limits, 'cpu', -3), period) : 0n,
    memoryLimitInBytes: inUnits(limits, 'memory', 0),
  };
}

/** Limits are undefined where a container has none. */
export interface PodCgroupLimits {
  readonly cpuShares: bigint;
  readonly cpuQuota: bigint | undefined;
  readonly cpuPeriod: number;
  readonly memoryBytes: bigint | undefined;
  /** Kept from reclaim: feature gate MemoryQoS. */
  readonly memoryMinBytes: bigint | undefined;
  readonly pids: number | undefined;
  readonly hugePages: ReadonlyMap<string, bigint>;
}

export function podCgroupLimits(
  spec: PodSpec,
  settings: ResourceSettings & { readonly podPidsLimit: number },
): PodCgroupLimits {
  const qos = qosClassOf(spec, false);
  const requests = podRequests({ spec }, sumOptions);
  const limits = podLimits({ spec }, sumOptions);
  const all = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const isLimited = (name: string): boolean => all.every(({ resources }) => resources?.limits?.[name] !== undefined);
  const period = settings.cpuCfsQuotaPeriodUs;
  const hasQuota = settings.cpuCfsQuota && isLimited('cpu');
  return {
    cpuShares: qos === 'BestEffort' ? 2n : sharesOf(inUnits(requests, 'cpu', -3)),
    cpuQuota: hasQuota ? quotaOf(inUnits(limits, 'cpu', -3), period) : undefined,
    cpuPeriod: period,
    memoryBytes: isLimited('memory') ? inUnits(limits, 'memory', 0) : undefined,
    memoryMinBytes: settings.memoryQos === undefined ? undefined : inUnits(requests, 'memory', 0),
    pids: settings.podPidsLimit > 0 ? settings.podPidsLimit : undefined,
    hugePages: new Map(
      settings.hugePageSizes.map((bytes) => [kernelPageSize(bytes), inUnits(limits, hugePageResource(bytes), 0)]),
    ),
  };
}

/** `kubepods/burstable/pod<uid>`; what is guaranteed lies at the top. */
export function podCgroupName(spec: PodSpec, uid: string): readonly string[] {
  const qos = qosClassOf(spec, false);
  return qos === 'Guaranteed' ? ['kubepods', `pod${uid}`] : ['kubepods', qos.toLowerCase(), `pod${uid}`];
}
