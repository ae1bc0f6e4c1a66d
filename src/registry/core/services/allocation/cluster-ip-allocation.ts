/** Cluster IPs of one service: which to take, and which to give back. */
import { clusterIpsPath } from '../../../../api/core/services/cluster-ips-validation.ts';
import { clusterIpsOf, familyOf, ipFamiliesOf, noClusterIp } from '../../../../api/core/services/fields.ts';
import type { IPFamily, Service } from '../../../../api/gen/types/core-v1.ts';
import { invalid } from '../../../../machinery/field-error.ts';
import { goStrings } from '../../../../machinery/go-quote.ts';
import { internalError, invalid as invalidStatus } from '../../../../machinery/status.ts';
import { AllocationError } from './allocation-errors.ts';
import { isSettledDualStack } from './ip-families.ts';
import type { ClusterIpAllocator } from './cluster-ip-allocator.ts';
import type { Owned } from './value-allocator.ts';

export type IpAllocators = ReadonlyMap<IPFamily, ClusterIpAllocator>;

export interface ClusterIpChange {
  /** Taken already; to be released if the write fails. */
  readonly taken: readonly Owned<string>[];
  /** To be released once the write has succeeded. */
  readonly unused: readonly string[];
}

const noChange: ClusterIpChange = { taken: [], unused: [] };

/** Takes what a new service needs and writes it into the object. A dry run takes nothing. */
export async function takeClusterIps(
  service: Service,
  allocators: IpAllocators,
  dryRun: boolean,
): Promise<ClusterIpChange> {
  if (service.spec.type === 'ExternalName' || clusterIpsOf(service)[0] === noClusterIp) return noChange;
  return take(
    service,
    ipFamiliesOf(service).map((_, i) => i),
    allocators,
    dryRun,
  );
}

export async function changeClusterIps(
  service: Service,
  old: Service,
  allocators: IpAllocators,
  dryRun: boolean,
): Promise<ClusterIpChange> {
  if (isSettledDualStack(service, old)) return noChange;
  if (old.spec.type === 'ExternalName') return takeClusterIps(service, allocators, dryRun);
  if (clusterIpsOf(old)[0] === noClusterIp) return noChange;
  if (service.spec.type === 'ExternalName') return { taken: [], unused: clusterIpsOf(old) };
  const [before, now] = [ipFamiliesOf(old).length, ipFamiliesOf(service).length];
  if (before === 1 && now === 2) return take(service, [1], allocators, dryRun);
  return before === 2 && now === 1 ? { taken: [], unused: clusterIpsOf(old).slice(1) } : noChange;
}

export async function releaseClusterIps(
  ips: readonly Owned<string>[],
  allocators: IpAllocators,
  service: Service,
): Promise<void> {
  // Addresses of a family that the cluster no longer has are not allocated any more.
  for (const ip of ips) if (ip.value !== noClusterIp) await allocators.get(familyOf(ip.value))?.release(ip, service);
}

/** Takes an address for each of these places in the list of families: the one that is there, or any. */
async function take(
  service: Service,
  places: readonly number[],
  allocators: IpAllocators,
  dryRun: boolean,
): Promise<ClusterIpChange> {
  const ips = [...clusterIpsOf(service)];
  const taken: Owned<string>[] = [];
  try {
    for (const place of places) {
      const allocator = allocators.get(ipFamiliesOf(service)[place]!)!;
      const asked = ips[place] ?? '';
      const ip =
        asked === '' ? await takeAny(service, allocator, dryRun) : await takeAsked(asked, service, allocator, dryRun);
      ips[place] = ip.value;
      if (!dryRun) taken.push(ip);
    }
  } catch (error) {
    await releaseClusterIps(taken, allocators, service);
    throw error;
  }
  service.spec.clusterIPs = ips;
  service.spec.clusterIP = ips[0]!;
  return { taken, unused: [] };
}

async function takeAny(service: Service, allocator: ClusterIpAllocator, dryRun: boolean): Promise<Owned<string>> {
  // Which one it would be cannot be known: an address that no service has stands for it.
  if (dryRun) return { value: allocator.network, since: 0 };
  try {
    return await allocator.allocateNext(service);
  } catch (error) {
    if (error instanceof AllocationError)
      throw internalError(`failed to allocate a serviceIP: ${error.message}`, { cause: error });
    throw error;
  }
}

async function takeAsked(
  ip: string,
  service: Service,
  allocator: ClusterIpAllocator,
  dryRun: boolean,
): Promise<Owned<string>> {
  try {
    if (!dryRun) return await allocator.allocate(ip, service);
    await allocator.check(ip);
    return { value: ip, since: 0 };
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    throw invalidStatus({ group: '', kind: 'Service' }, service.metadata.name ?? '', [
      invalid(clusterIpsPath, goStrings(clusterIpsOf(service)), `failed to allocate IP ${ip}: ${error.message}`),
    ]);
  }
}
