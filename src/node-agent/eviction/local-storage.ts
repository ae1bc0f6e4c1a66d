/** What a pod may use of the disk of its node: the limits of its volumes, of all its containers, of each. Pure. */
import { podLimits } from '../../api/core/pods/pod-requests.ts';
import { parseQuantity } from '../../machinery/quantity.ts';
import type { PodUsage } from './ranking.ts';

const resource = 'ephemeral-storage';

export interface StorageProblem {
  readonly message: string;
  /** Which limit is exceeded, as metrics name it. */
  readonly signal: 'emptydirfs.limit' | 'ephemeralpodfs.limit' | 'ephemeralcontainerfs.limit';
}

/** Why the pod is evicted; undefined when it keeps its limits. */
export function storageProblem(usage: PodUsage): StorageProblem | undefined {
  const of = (signal: StorageProblem['signal'], message: string | undefined): StorageProblem | undefined =>
    message === undefined ? undefined : { signal, message };
  return (
    of('emptydirfs.limit', volumeProblem(usage)) ??
    of('ephemeralpodfs.limit', podProblem(usage)) ??
    of('ephemeralcontainerfs.limit', containerProblem(usage))
  );
}

function volumeProblem({ pod, volumes }: PodUsage): string | undefined {
  for (const { name = '', emptyDir } of pod.spec.volumes ?? []) {
    const limit = emptyDir?.sizeLimit;
    if (limit === undefined || parseQuantity(limit).isZero()) continue;
    if ((volumes.get(name)?.bytes ?? 0) > parseQuantity(limit).toNumber())
      return `Usage of EmptyDir volume "${name}" exceeds the limit "${limit}". `;
  }
  return undefined;
}

function podProblem({ pod, containers, volumes }: PodUsage): string | undefined {
  const limit = podLimits({ spec: pod.spec }, { podLevel: false, fromStatus: false, overhead: true }).get(resource);
  if (limit === undefined || limit.isZero()) return undefined;
  const inMemory = new Set(
    (pod.spec.volumes ?? []).filter(({ emptyDir }) => emptyDir?.medium === 'Memory').map(({ name }) => name),
  );
  let used = 0;
  for (const { diskBytes } of containers.values()) used += diskBytes;
  for (const [name, { bytes }] of volumes) if (!inMemory.has(name)) used += bytes;
  if (used <= limit.toNumber()) return undefined;
  return `Pod ephemeral local storage usage exceeds the total limit of containers ${limit.toString()}. `;
}

function containerProblem({ pod, containers }: PodUsage): string | undefined {
  for (const { name = '', resources } of pod.spec.containers ?? []) {
    const limit = resources?.limits?.[resource];
    const used = containers.get(name)?.diskBytes ?? 0;
    if (limit !== undefined && used > parseQuantity(limit).toNumber())
      return `Container ${name} exceeded its local ephemeral storage limit "${limit}". `;
  }
  return undefined;
}
