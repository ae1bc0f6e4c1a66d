/**
 * What containers read of their pod: fields, and their resources.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/downward-api/ | Downward API}
 */
import type { Pod, ResourceFieldSelector } from '../../../api/gen/types/core-v1.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { parseQuantity, type Quantity } from '../../../machinery/quantity.ts';
import { ContainerConfigError } from './container-config-error.ts';

export interface PodAddresses {
  readonly hostIPs: readonly string[];
  readonly podIPs: readonly string[];
}

/** Undefined for a field that pods do not show. */
export function fieldValue(
  path: string,
  { metadata, spec }: Pod,
  { hostIPs, podIPs }: PodAddresses,
): string | undefined {
  const member = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  if (member !== null) return metadata[member[1] as 'labels' | 'annotations']?.[member[2]!] ?? '';
  switch (path) {
    case 'metadata.name':
      return metadata.name ?? '';
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid ?? '';
    case 'metadata.labels':
      return mapText(metadata.labels);
    case 'metadata.annotations':
      return mapText(metadata.annotations);
    case 'spec.nodeName':
      return spec.nodeName ?? '';
    case 'spec.serviceAccountName':
      return spec.serviceAccountName ?? '';
    case 'status.hostIP':
      return hostIPs[0] ?? '';
    case 'status.hostIPs':
      return hostIPs.join(',');
    case 'status.podIP':
      return podIPs[0] ?? '';
    case 'status.podIPs':
      return podIPs.join(',');
    default:
      return undefined;
  }
}

/** A line per member, sorted. */
function mapText(map: Readonly<Record<string, string>> = {}): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${goQuote(map[key]!)}`)
    .join('\n');
}

/** @param allocatable of the node: what a container without a limit can use at most */
export function resourceValue(
  { containerName, resource = '', divisor = '0' }: ResourceFieldSelector,
  pod: Pod,
  self: string | undefined,
  allocatable: Readonly<Record<string, string>>,
): string {
  const name = containerName === undefined || containerName === '' ? self : containerName;
  const all = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])];
  const container = all.find((candidate) => candidate.name === name);
  if (container === undefined) throw new ContainerConfigError(`container ${name} not found`);
  const [, part, kind] = /^(limits|requests)\.(.+)$/.exec(resource) ?? [];
  if (part === undefined || kind === undefined)
    throw new ContainerConfigError(`unsupported container resource : ${resource}`);
  const own = container.resources?.[part as 'limits' | 'requests']?.[kind];
  const text = own ?? (part === 'limits' ? allocatable[kind] : undefined) ?? '0';
  return String(dividedUp(parseQuantity(text), parseQuantity(divisor), kind === 'cpu'));
}

/** Rounded up; a divisor of 0 is 1. */
function dividedUp(value: Quantity, divisor: Quantity, isCpu: boolean): bigint {
  const scale = isCpu ? -3 : 0;
  const by = divisor.isZero() ? parseQuantity('1').scaledValue(scale) : divisor.scaledValue(scale);
  return (value.scaledValue(scale) + by - 1n) / by;
}
