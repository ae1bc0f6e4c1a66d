/**
 * The type of a service says which of its fields mean something. A client that changes the type and leaves the rest as
 * it found it does not mean to keep what the server had given to the old type: such values go. Those that the client
 * changed as well stay, for validation to refuse.
 */
import {
  hasSameClusterIps,
  hasSameIpFamilies,
  isExternallyAccessible,
  isLoadBalancer,
  needsClusterIp,
  needsHealthCheck,
  needsNodePorts,
  nodePortsOf,
} from '../../../api/core/services/fields.ts';
import type { Service } from '../../../api/gen/types/core-v1.ts';

/** Whether the type (and what goes with it) stopped to have a use for something. */
const lost = (has: (service: Service) => boolean, service: Service, old: Service): boolean => has(old) && !has(service);

export function dropFieldsOfOldType(service: Service, old: Service): void {
  const { spec } = service;
  if (lost(needsClusterIp, service, old)) {
    dropClusterIps(service, old);
    if (spec.internalTrafficPolicy === old.spec.internalTrafficPolicy) spec.internalTrafficPolicy = undefined;
  }
  if (lost(needsNodePorts, service, old) && hasNoNewNodePort(service, old))
    spec.ports?.forEach((port) => (port.nodePort = undefined));
  if (lost(needsHealthCheck, service, old) && spec.healthCheckNodePort === old.spec.healthCheckNodePort)
    spec.healthCheckNodePort = undefined;
  if (lost(isLoadBalancer, service, old)) {
    if (spec.allocateLoadBalancerNodePorts === old.spec.allocateLoadBalancerNodePorts)
      spec.allocateLoadBalancerNodePorts = undefined;
    if (spec.loadBalancerClass === old.spec.loadBalancerClass) spec.loadBalancerClass = undefined;
  }
  if (lost(isExternallyAccessible, service, old) && spec.externalTrafficPolicy === old.spec.externalTrafficPolicy)
    spec.externalTrafficPolicy = undefined;
  if (!isLoadBalancer(service)) service.status = { ...service.status, loadBalancer: {} };
}

function dropClusterIps(service: Service, old: Service): void {
  const { spec } = service;
  const sameFamilies = hasSameIpFamilies(service, old);
  if ((spec.clusterIP ?? '') === (old.spec.clusterIP ?? '') && hasSameClusterIps(service, old)) {
    spec.clusterIP = undefined;
    spec.clusterIPs = undefined;
  }
  if (sameFamilies) spec.ipFamilies = undefined;
  if (spec.ipFamilyPolicy === old.spec.ipFamilyPolicy) spec.ipFamilyPolicy = undefined;
}

/** Ports may have come, gone or changed otherwise. */
function hasNoNewNodePort(service: Service, old: Service): boolean {
  const before = new Set(nodePortsOf(old));
  return nodePortsOf(service).every((port) => before.has(port));
}
