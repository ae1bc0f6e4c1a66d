/**
 * Fields that say the same twice, and values that clients leave out because the server chose them: what an old client
 * or a plain manifest means by what it sends.
 */
import {
  clusterIpsOf,
  familyOf,
  hasSameClusterIps,
  isHeadlessWithoutSelector,
  needsClusterIp,
  needsHealthCheck,
  needsNodePorts,
  noClusterIp,
  nodePortsOf,
  otherFamily,
} from '../../../../api/core/services/fields.ts';
import type { IPFamily, Service } from '../../../../api/gen/types/core-v1.ts';

/** A client that knows the single field only has set both. The other way round is an error. */
export function linkClusterIps({ spec }: Service): void {
  if ((spec.clusterIP ?? '') !== '' && (spec.clusterIPs?.length ?? 0) === 0) spec.clusterIPs = [spec.clusterIP!];
}

/** The same for a change, where the client may have sent one of the two back as it was. */
export function linkChangedClusterIps(service: Service, old: Service): void {
  const { spec } = service;
  const isSame = (spec.clusterIP ?? '') === (old.spec.clusterIP ?? '');
  if (isSame) {
    if (clusterIpsOf(service).length === 0 && clusterIpsOf(old).length > 0) spec.clusterIPs = [...clusterIpsOf(old)];
  } else if (hasSameClusterIps(service, old)) {
    const cleared = (spec.clusterIP ?? '') === '';
    spec.clusterIPs = cleared ? undefined : [spec.clusterIP!];
  }
}

/** What was given to the service stays when the client sends its manifest again. */
export function keepAllocatedValues(service: Service, old: Service): void {
  const { spec } = service;
  if (needsClusterIp(old) && needsClusterIp(service)) {
    if ((spec.clusterIP ?? '') === '') spec.clusterIP = old.spec.clusterIP;
    if (clusterIpsOf(service).length === 0 && clusterIpsOf(old).length > 0) spec.clusterIPs = [...clusterIpsOf(old)];
  }
  if (needsNodePorts(old) && needsNodePorts(service)) keepNodePorts(service, old);
  if (needsHealthCheck(old) && needsHealthCheck(service) && (spec.healthCheckNodePort ?? 0) === 0)
    spec.healthCheckNodePort = old.spec.healthCheckNodePort;
}

/** Ports are told by name. A node port that the client uses for another port is not taken from there. */
function keepNodePorts(service: Service, old: Service): void {
  const before = new Set(nodePortsOf(old));
  const used = new Set(nodePortsOf(service).filter((port) => before.has(port)));
  const byName = new Map((old.spec.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
  for (const port of service.spec.ports ?? []) {
    if ((port.nodePort ?? 0) !== 0) continue;
    const kept = byName.get(port.name ?? '') ?? 0;
    if (kept !== 0 && !used.has(kept)) port.nodePort = kept;
  }
}

/** What services lack that were stored before there were several cluster IPs and families. */
export function completeService(service: Service, defaultFamily: IPFamily): void {
  const { spec } = service;
  linkClusterIps(service);
  if (!needsClusterIp(service) || (spec.ipFamilies?.length ?? 0) > 0) return;
  if (spec.clusterIP !== noClusterIp) {
    spec.ipFamilies = clusterIpsOf(service).map(familyOf);
    if (spec.ipFamilies.length > 0)
      spec.ipFamilyPolicy = spec.ipFamilies.length === 1 ? 'SingleStack' : 'RequireDualStack';
  } else if (isHeadlessWithoutSelector(service)) {
    spec.ipFamilies = [defaultFamily, otherFamily(defaultFamily)];
    spec.ipFamilyPolicy = 'RequireDualStack';
  } else {
    spec.ipFamilies = [defaultFamily];
    spec.ipFamilyPolicy = 'SingleStack';
  }
}
