import type { Endpoints, EndpointSubset } from '../../gen/types/core-v1.ts';
import { ageCell } from '../../table/cells.ts';

export const endpointsCells = ({ metadata, subsets = [] }: Endpoints, now: Date): string[] => [
  metadata.name ?? '',
  addressesCell(subsets),
  ageCell(metadata.creationTimestamp, now),
];

const shown = 3;

function addressesCell(subsets: readonly EndpointSubset[]): string {
  if (subsets.length === 0) return '<none>';
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip = '' }) => ip)
      : ports.flatMap(({ port = 0 }) => addresses.map(({ ip = '' }) => hostAndPort(ip, port))),
  );
  return all.length > shown ? `${all.slice(0, shown).join(',')} + ${all.length - shown} more...` : all.join(',');
}

export const hostAndPort = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;
