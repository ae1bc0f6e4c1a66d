import type { Ingress, IngressRule } from '../../gen/types/networking-v1.ts';
import { ageCell, textCell } from '../../table/cells.ts';
import { loadBalancerCell } from '../../core/services/table.ts';

export const ingressCells = ({ metadata, spec, status }: Ingress, now: Date): string[] => [
  metadata.name ?? '',
  textCell(spec.ingressClassName),
  hostsCell(spec.rules ?? []),
  loadBalancerCell(status.loadBalancer),
  (spec.tls?.length ?? 0) > 0 ? '80, 443' : '80',
  ageCell(metadata.creationTimestamp, now),
];

const shown = 3;

/** Rules after the first three hosts are counted, with or without a host. */
function hostsCell(rules: readonly IngressRule[]): string {
  const hosts: string[] = [];
  let more = false;
  for (const { host = '' } of rules) {
    if (hosts.length === shown) more = true;
    else if (host !== '') hosts.push(host);
  }
  if (hosts.length === 0) return '*';
  return more ? `${hosts.join(',')} + ${rules.length - shown} more...` : hosts.join(',');
}
