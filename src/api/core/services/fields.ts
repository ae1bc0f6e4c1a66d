/** What the type of a service and a few other fields say about the rest of it. */
import type { IPFamily, Service } from '../../gen/types/core-v1.ts';
import { parseIp } from '../../../machinery/formats/addresses.ts';

/** The cluster IP of a service without one: its name leads to the addresses of its endpoints. */
export const noClusterIp = 'None';

export const clusterIpsOf = ({ spec }: Service): readonly string[] => spec.clusterIPs ?? [];

export const ipFamiliesOf = ({ spec }: Service): readonly IPFamily[] => spec.ipFamilies ?? [];

/** By its type; a headless service counts too. */
export const needsClusterIp = ({ spec }: Service): boolean => spec.type !== 'ExternalName';

export const isHeadless = ({ spec }: Service): boolean =>
  spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === noClusterIp;

/** The one kind of service whose endpoints can be of any IP family, because its owner manages them. */
export const isHeadlessWithoutSelector = ({ spec }: Service): boolean =>
  spec.clusterIP === noClusterIp && Object.keys(spec.selector ?? {}).length === 0;

export const needsNodePorts = ({ spec }: Service): boolean => spec.type === 'NodePort' || spec.type === 'LoadBalancer';

/** Ports that were not asked for are given too. */
export const getsNodePorts = ({ spec }: Service): boolean =>
  spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);

/** Load balancers that keep the client's address ask every node whether it has an endpoint. */
export const needsHealthCheck = ({ spec }: Service): boolean =>
  spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';

export const isExternallyAccessible = (service: Service): boolean =>
  needsNodePorts(service) || (service.spec.type === 'ClusterIP' && (service.spec.externalIPs?.length ?? 0) > 0);

export const isLoadBalancer = ({ spec }: Service): boolean => spec.type === 'LoadBalancer';

/** Node ports of its ports, in their order, without those that have none. */
export const nodePortsOf = ({ spec }: Service): number[] =>
  (spec.ports ?? []).flatMap(({ nodePort = 0 }) => (nodePort === 0 ? [] : [nodePort]));

/** What is no IPv6 address counts as IPv4. */
export const familyOf = (ip: string): IPFamily => (parseIp(ip)?.family === 6 ? 'IPv6' : 'IPv4');

export const otherFamily = (family: IPFamily): IPFamily => (family === 'IPv4' ? 'IPv6' : 'IPv4');

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i]);

export const hasSameClusterIps = (a: Service, b: Service): boolean => isSameList(clusterIpsOf(a), clusterIpsOf(b));

export const hasSameIpFamilies = (a: Service, b: Service): boolean => isSameList(ipFamiliesOf(a), ipFamiliesOf(b));
