/** ServiceCIDR and IPAddress objects, as the allocation of cluster IPs uses them. */
import type { Service } from '../../../../api/gen/types/core-v1.ts';
import type { IPAddress, ServiceCIDR } from '../../../../api/gen/types/networking-v1beta1.ts';

/** The port to the API of this server. All reads are current. */
export interface AddressObjects {
  ranges(): Promise<readonly ServiceCIDR[]>;
  addresses(): Promise<readonly IPAddress[]>;
  /** Undefined when there is none. */
  find(ip: string): Promise<IPAddress | undefined>;
  /** Whether it could be made: not when the address has an object. */
  create(address: IPAddress): Promise<boolean>;
  /** Does nothing when this object is gone. */
  remove(address: IPAddress): Promise<void>;
}

const managedByLabel = 'ipaddress.kubernetes.io/managed-by';
const familyLabel = 'ipaddress.kubernetes.io/ip-family';
const allocatorName = 'ipallocator.k8s.io';

export const addressOf = (ip: string, family: string, { metadata }: Service): IPAddress => ({
  metadata: { name: ip, labels: { [familyLabel]: family, [managedByLabel]: allocatorName } },
  spec: { parentRef: { resource: 'services', namespace: metadata.namespace ?? '', name: metadata.name ?? '' } },
});

export const isAllocated = ({ metadata }: IPAddress): boolean => metadata.labels?.[managedByLabel] === allocatorName;

/** Whether the object says that the service has the address. */
export const belongsTo = ({ spec }: IPAddress, { metadata }: Service): boolean => {
  const { group = '', resource, namespace = '', name } = spec?.parentRef ?? {};
  return group === '' && resource === 'services' && namespace === metadata.namespace && name === metadata.name;
};

/** Services get no more addresses of a range that ends, or that its controller does not hold ready. */
export function isReady({ metadata, status }: ServiceCIDR): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const condition = status?.conditions?.find(({ type }) => type === 'Ready');
  return condition === undefined || condition.status === 'True';
}
