import type { Endpoint, EndpointPort, EndpointSlice } from '../../gen/types/discovery-v1.ts';
import { ageCell } from '../../table/cells.ts';

export const endpointSliceCells = (
  { metadata, addressType = '' as never, endpoints, ports }: EndpointSlice,
  now: Date,
): string[] => [
  metadata.name ?? '',
  addressType,
  firstOf((ports ?? []).map(portText)),
  firstOf((endpoints ?? []).flatMap(({ addresses = [] }: Endpoint) => addresses)),
  ageCell(metadata.creationTimestamp, now),
];

const portText = ({ port, name }: EndpointPort): string => (port === undefined ? (name ?? '*') : String(port));

const shown = 3;

function firstOf(all: readonly string[]): string {
  if (all.length > shown) return `${all.slice(0, shown).join(',')} + ${all.length - shown} more...`;
  return all.join(',') || '<unset>';
}
