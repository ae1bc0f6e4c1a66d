import { describe, expect, test } from 'vitest';
import { agentAddress } from './agent-address.ts';

const addresses = [
  { type: 'InternalIP', address: '10.0.0.1' },
  { type: 'InternalIP', address: '10.0.0.2' },
  { type: 'Hostname', address: 'n1' },
];
const nodeWith = (found: object[], port?: number) =>
  ({ status: { addresses: found, daemonEndpoints: { kubeletEndpoint: { Port: port } } } }) as never;

describe('address of a node agent', () => {
  test.each([
    { name: 'the first type that the node has', types: ['ExternalIP', 'InternalIP', 'Hostname'], host: '10.0.0.1' },
    { name: 'the order of the types, not that of the addresses', types: ['Hostname', 'InternalIP'], host: 'n1' },
  ])('The address of a node agent is by $name', ({ types, host }) => {
    expect(agentAddress(nodeWith(addresses, 1234), types, 10250)).toEqual({ host, port: 1234 });
  });

  test('A node that does not say where its agent listens gets the default port', () => {
    expect(agentAddress(nodeWith(addresses), ['Hostname'], 10250).port).toBe(10250);
  });

  test('A node without an address of a preferred type is refused with the addresses that it has', () => {
    expect(() => agentAddress(nodeWith(addresses.slice(1)), ['ExternalDNS'], 1)).toThrow(
      'no preferred addresses found; known addresses: [{InternalIP 10.0.0.2} {Hostname n1}]',
    );
  });
});
