/**
 * Which pod is evicted first, and what is said of it. Pure.
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/ | Node-pressure Eviction}
 */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { podRequests } from '../../api/core/pods/pod-requests.ts';
import { parseQuantity } from '../../machinery/quantity.ts';
import type { Threshold } from './thresholds.ts';

/** What a container uses now. */
export interface ContainerUsage {
  readonly memoryBytes: number;
  /** Writable layer and logs. */
  readonly diskBytes: number;
  readonly inodes: number;
}

export interface PodUsage {
  readonly pod: Pod;
  readonly containers: ReadonlyMap<string, ContainerUsage>;
  /** Volumes on the disk of the node, by name. */
  readonly volumes: ReadonlyMap<string, { readonly bytes: number; readonly inodes: number }>;
  /** Of all containers. */
  readonly processes: number;
}

export type Starved = 'memory' | 'ephemeral-storage' | 'inodes' | 'pids';

export function starvedResource(signal: string): Starved {
  if (signal.startsWith('memory')) return 'memory';
  if (signal.startsWith('pid')) return 'pids';
  return signal.endsWith('inodesFree') ? 'inodes' : 'ephemeral-storage';
}

const criticalPriority = 2_000_000_000;

/** The first is evicted first. Critical pods are not among them. */
export function rankedForEviction(
  pods: readonly PodUsage[],
  resource: Starved,
  isStatic: (pod: Pod) => boolean,
): readonly PodUsage[] {
  const candidates = pods.filter(({ pod }) => !isStatic(pod) && (pod.spec.priority ?? 0) < criticalPriority);
  const over = (usage: PodUsage): number => usageOf(usage, resource) - requestOf(usage.pod, resource);
  return [...candidates].sort((a, b) => {
    if (resource === 'memory' || resource === 'ephemeral-storage') {
      const exceeds = Number(over(b) > 0) - Number(over(a) > 0);
      if (exceeds !== 0) return exceeds;
    }
    return (a.pod.spec.priority ?? 0) - (b.pod.spec.priority ?? 0) || over(b) - over(a);
  });
}

export function usageOf({ containers, volumes, processes }: PodUsage, resource: Starved): number {
  if (resource === 'pids') return processes;
  let sum = 0;
  for (const usage of containers.values()) sum += containerUsage(usage, resource);
  for (const { bytes, inodes } of volumes.values())
    sum += resource === 'ephemeral-storage' ? bytes : resource === 'inodes' ? inodes : 0;
  return sum;
}

function containerUsage(usage: ContainerUsage, resource: Starved): number {
  switch (resource) {
    case 'memory':
      return usage.memoryBytes;
    case 'ephemeral-storage':
      return usage.diskBytes;
    case 'inodes':
      return usage.inodes;
    default:
      return 0;
  }
}

function requestOf({ spec }: Pod, resource: Starved): number {
  if (resource === 'inodes' || resource === 'pids') return 0;
  const sums = podRequests({ spec }, { podLevel: false, fromStatus: false, overhead: true });
  return sums.get(resource)?.toNumber() ?? 0;
}

/** `The node was low on resource: memory. Threshold quantity: 100Mi, available: 80Mi. Container …` */
export function evictionMessage(usage: PodUsage, { signal, bytes, available }: Threshold): string {
  const resource = starvedResource(signal);
  const isCount = resource === 'inodes' || resource === 'pids';
  const text = (value: number): string => (isCount ? String(value) : bytesText(value));
  const amounts = `Threshold quantity: ${text(bytes)}, available: ${text(available)}. `;
  let message = `The node was low on resource: ${resource}. ${amounts}`;
  if (isCount) return message;
  for (const { name = '', resources } of usage.pod.spec.containers ?? []) {
    const used = usage.containers.get(name);
    if (used === undefined) continue;
    const request = resources?.requests?.[resource];
    const amount = containerUsage(used, resource);
    if (amount <= (request === undefined ? 0 : parseQuantity(request).toNumber())) continue;
    message +=
      `Container ${name} was using ${text(amount)}, request is ${request ?? '0'}, ` +
      `has larger consumption of ${resource}. `;
  }
  return message;
}

const units = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** In the largest binary unit that is exact. */
function bytesText(bytes: number): string {
  let value = Math.floor(bytes);
  let unit = 0;
  for (; value !== 0 && value % 1024 === 0 && unit < units.length - 1; unit++) value /= 1024;
  return `${value}${units[unit]}`;
}
