/** ServiceCIDR and IPAddress objects of this server, for the allocation of cluster IPs. */
import type { IPAddress, ServiceCIDR } from '../../api/gen/types/networking-v1beta1.ts';
import type { GroupVersionInfo } from '../../api/resources.ts';
import { isStatusError } from '../../machinery/status.ts';
import type { AddressObjects } from '../../registry/core/services/allocation/address-objects.ts';
import type { LoopbackClient, ObjectName } from './loopback-client.ts';

const ranges = { group: 'networking.k8s.io', resource: 'servicecidrs' };
const addresses = { group: 'networking.k8s.io', resource: 'ipaddresses' };
const nameOf = (ip: string): ObjectName => ({ ...addresses, namespace: '', name: ip });

/** Whether cluster IPs are allocated by objects: not with the gate alone, when their API is not served. */
export const hasAddressObjects = (
  featureEnabled: (gate: string) => boolean,
  groupVersions: readonly Pick<GroupVersionInfo, 'group' | 'version'>[],
): boolean =>
  featureEnabled('MultiCIDRServiceAllocator') &&
  groupVersions.some(({ group, version }) => group === addresses.group && version === 'v1beta1');

export const createAddressObjects = (writer: LoopbackClient): AddressObjects => ({
  ranges: () => writer.list<ServiceCIDR>(ranges, 'mostRecent'),
  addresses: () => writer.list<IPAddress>(addresses, 'mostRecent'),
  find: (ip) => writer.find<IPAddress>(nameOf(ip)),
  create: (address) => writer.createNew(nameOf(address.metadata.name!), address),
  async remove({ metadata }) {
    try {
      await writer.remove(nameOf(metadata.name!), metadata.uid);
    } catch (error) {
      if (!isStatusError(error) || (error.reason !== 'NotFound' && error.reason !== 'Conflict')) throw error;
    }
  },
});
