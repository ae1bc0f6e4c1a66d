/** What went over the interfaces of a machine or a pod. */
import type { Exposition, Family, Labels } from '../stats/exposition.ts';

const counter = (name: string, help: string): Family => ({ name: `container_network_${name}`, help, type: 'counter' });

/** Columns of `/proc/net/dev` behind the name. */
const columns: readonly (readonly [family: Family, column: number])[] = [
  [counter('receive_bytes_total', 'Bytes that came.'), 0],
  [counter('receive_packets_total', 'Packets that came.'), 1],
  [counter('receive_errors_total', 'Errors of what came.'), 2],
  [counter('receive_packets_dropped_total', 'Packets that came and were dropped.'), 3],
  [counter('transmit_bytes_total', 'Bytes that went.'), 8],
  [counter('transmit_packets_total', 'Packets that went.'), 9],
  [counter('transmit_errors_total', 'Errors of what went.'), 10],
  [counter('transmit_packets_dropped_total', 'Packets that were to go and were dropped.'), 11],
];

/** Interfaces that say nothing of the traffic of a node or a pod: its own, and the ends of those of pods. */
const isLeftOut = (name: string): boolean => name === 'lo' || name.startsWith('veth') || name.startsWith('docker');

/** @param devices `/proc/net/dev` */
export function addNetwork(
  out: Exposition,
  devices: string,
  { labels, nowMs }: { readonly labels: Labels; readonly nowMs: number },
): void {
  for (const line of devices.split('\n')) {
    const [, name = '', rest = ''] = /^\s*([^:\s]+):(.*)$/.exec(line) ?? [];
    const values = rest.trim().split(/\s+/).map(Number);
    if (name === '' || isLeftOut(name) || values.length < 12) continue;
    for (const [family, column] of columns) out.add(family, { ...labels, interface: name }, values[column], nowMs);
  }
}
