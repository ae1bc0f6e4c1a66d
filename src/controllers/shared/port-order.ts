/**
 * The order of the ports of Endpoints and EndpointSlices: that of the MD5 sums of the ports as Go prints them. Clients
 * compare lists of ports, and where two controller managers take turns neither rewrites what the other wrote.
 */
import { createHash } from 'node:crypto';
import type { EndpointPort as EndpointsPort } from '../../api/gen/types/core-v1.ts';
import type { EndpointPort as SlicePort } from '../../api/gen/types/discovery-v1.ts';

export const orderEndpointsPorts = (ports: readonly EndpointsPort[]): EndpointsPort[] =>
  inOrder(ports, ({ name = '', port, protocol, appProtocol }) => [
    ['Name', 'string', name],
    ['Port', 'int32', port],
    ['Protocol', 'v1.Protocol', protocol],
    ['AppProtocol', '*string', appProtocol],
  ]);

export const orderSlicePorts = (ports: readonly SlicePort[]): SlicePort[] =>
  inOrder(ports, ({ name, protocol, port, appProtocol }) => [
    ['Name', '*string', name],
    ['Protocol', '*v1.Protocol', protocol],
    ['Port', '*int32', port],
    ['AppProtocol', '*string', appProtocol],
  ]);

type Field = readonly [name: string, type: string, value: string | number | undefined];

function inOrder<T>(ports: readonly T[], fieldsOf: (port: T) => readonly Field[]): T[] {
  if (ports.length < 2) return [...ports];
  return ports
    .map((port) => ({ port, sum: sumOf(fieldsOf(port)) }))
    .sort((a, b) => (a.sum < b.sum ? -1 : 1))
    .map(({ port }) => port);
}

function sumOf(fields: readonly Field[]): string {
  const printed = fields.map(([name, type, value]) => `${name}:(${type})${value ?? '<nil>'}`).join(' ');
  return createHash('md5').update(`(v1.EndpointPort){${printed}}`).digest('hex');
}
