/** Whether a range of service addresses may go: not as long as a service has an address that is in no other range. */
import type { Condition } from '../../api/gen/types/meta-v1.ts';
import type { IPAddress, ServiceCIDR } from '../../api/gen/types/networking-v1beta1.ts';
import { type Cidr, containsCidr, isInCidr, parseCidr, parseIp } from '../../machinery/formats/addresses.ts';
import { formatMs } from '../shared/times.ts';

export const finalizer = 'networking.k8s.io/service-cidr-finalizer';
/** By then all API servers know that the range ends, and take no more addresses from it. */
export const deletionGraceMs = 10_000;
const managedByLabel = 'ipaddress.kubernetes.io/managed-by';
const allocator = 'ipallocator.k8s.io';

export const rangesOf = ({ spec }: ServiceCIDR): Cidr[] =>
  (spec?.cidrs ?? []).map(parseCidr).filter((cidr) => cidr !== undefined);

export const overlaps = (a: ServiceCIDR, b: ServiceCIDR): boolean =>
  rangesOf(a).some((first) => rangesOf(b).some((second) => containsCidr(first, second) || containsCidr(second, first)));

export const containsAddress = (range: ServiceCIDR, { metadata }: IPAddress): boolean => {
  const address = parseIp(metadata.name ?? '');
  return address !== undefined && rangesOf(range).some((cidr) => isInCidr(cidr, address));
};

/** @param others all ranges; those that end themselves keep no address */
export function mayEnd(range: ServiceCIDR, others: readonly ServiceCIDR[], addresses: Iterable<IPAddress>): boolean {
  const staying = others.filter(
    ({ metadata }) => metadata.name !== range.metadata.name && metadata.deletionTimestamp === undefined,
  );
  const open = rangesOf(range).filter(
    (cidr) => !staying.some((other) => rangesOf(other).some((outer) => containsCidr(outer, cidr))),
  );
  if (open.length === 0) return true;
  for (const address of addresses) {
    const value = parseIp(address.metadata.name ?? '');
    if (value === undefined || address.metadata.labels?.[managedByLabel] !== allocator) continue;
    if (!open.some((cidr) => isInCidr(cidr, value))) continue;
    if (!staying.some((other) => containsAddress(other, address))) return false;
  }
  return true;
}

const ready = { type: 'Ready', status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' } as const;
const terminating = {
  type: 'Ready',
  status: 'False',
  reason: 'Terminating',
  message: 'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
} as const;

/** The condition that the range should have; undefined when it has it. */
export function conditionFor(range: ServiceCIDR, isHeld: boolean, nowMs: number): Condition | undefined {
  const wanted = isHeld ? terminating : ready;
  const before = range.status?.conditions?.find(({ type }) => type === 'Ready');
  const isThere =
    before?.status === wanted.status && (before.reason ?? '') === wanted.reason && before.message === wanted.message;
  return isThere ? undefined : { ...wanted, lastTransitionTime: formatMs(nowMs) };
}
