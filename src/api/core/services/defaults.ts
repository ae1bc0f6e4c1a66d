/** What a service gets when it does not say; cluster IPs and node ports are given by the registry. */
import type { Service, ServicePort, ServiceSpec } from '../../gen/types/core-v1.ts';
import { isExternallyAccessible } from './fields.ts';

const affinitySeconds = 3 * 60 * 60;

export function setServiceDefaults(service: Service): void {
  const { spec, status } = service;
  spec.type ??= 'ClusterIP';
  setAffinity(spec);
  spec.ports?.forEach(setPortDefaults);
  if (isExternallyAccessible(service)) spec.externalTrafficPolicy ??= 'Cluster';
  if (spec.type === 'ClusterIP' || spec.type === 'NodePort' || spec.type === 'LoadBalancer')
    spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type !== 'LoadBalancer') return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of status.loadBalancer.ingress ?? []) if (ingress.ip !== undefined) ingress.ipMode ??= 'VIP';
}

function setAffinity(spec: ServiceSpec): void {
  spec.sessionAffinity ??= 'None';
  if (spec.sessionAffinity === 'None') spec.sessionAffinityConfig = undefined;
  else if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined)
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: affinitySeconds } };
}

function setPortDefaults(port: ServicePort): void {
  port.protocol ??= 'TCP';
  if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '')
    port.targetPort = port.port ?? 0;
}
