import type { LoadBalancerStatus, Service, ServicePort } from '../../gen/types/core-v1.ts';
import { ageCell, labelsCell } from '../../table/cells.ts';

const none = '<none>';

export function serviceCells(service: Service, now: Date): string[] {
  const { metadata, spec } = service;
  return [
    metadata.name ?? '',
    spec.type ?? '',
    spec.clusterIPs?.[0] ?? none,
    externalCell(service),
    portsCell(spec.ports),
    ageCell(metadata.creationTimestamp, now),
    labelsCell(spec.selector),
  ];
}

function externalCell({ spec, status }: Service): string {
  const ips = spec.externalIPs ?? [];
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return ips.join(',') || none;
    case 'LoadBalancer':
      return [loadBalancerCell(status.loadBalancer), ...ips].filter((text) => text !== '').join(',') || '<pending>';
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return '<unknown>';
  }
}

/** Where the load balancer listens, sorted. */
export function loadBalancerCell({ ingress = [] }: LoadBalancerStatus): string {
  const places = ingress
    .map(({ ip = '', hostname = '' }) => (ip === '' ? hostname : ip))
    .filter((place) => place !== '');
  return [...new Set(places)].sort().join(',');
}

const portsCell = (ports: readonly ServicePort[] = []): string =>
  ports
    .map(({ port = 0, nodePort = 0, protocol = '' }) => `${port}${nodePort === 0 ? '' : `:${nodePort}`}/${protocol}`)
    .join(',') || none;
