import { describe, expect, test } from 'vitest';
import { findNodeAddresses, type HostNetwork, nodeIpProblem } from './addresses.ts';

const networkWith = (changes: Partial<HostNetwork> = {}): HostNetwork => ({
  interfaceAddresses: () => ['10.0.0.5', 'fd00::5', '127.0.0.1'],
  lookup: () => Promise.resolve([]),
  routedAddress: (family) => Promise.resolve(family === 4 ? '10.0.0.5' : 'fd00::5'),
  ...changes,
});

describe('the addresses of a node', () => {
  test.each<{ name: string; nodeIPs: string[]; network?: Partial<HostNetwork>; ips: string[] }>([
    { name: 'one that is given', nodeIPs: ['10.0.0.7'], ips: ['10.0.0.7'] },
    { name: 'one of each family', nodeIPs: ['fd00::7', '10.0.0.7'], ips: ['fd00::7', '10.0.0.7'] },
    { name: 'that of the default route', nodeIPs: [], ips: ['10.0.0.5'] },
    { name: 'that of the other family', nodeIPs: ['::'], ips: ['fd00::5'] },
    { name: 'those of both families', nodeIPs: ['0.0.0.0', '::'], ips: ['10.0.0.5', 'fd00::5'] },
    {
      name: 'that of the host name, IPv4 in front',
      nodeIPs: [],
      network: { lookup: () => Promise.resolve(['127.0.1.1', 'fd00::5', '10.0.0.5']) },
      ips: ['10.0.0.5'],
    },
    {
      name: 'that of the default route where the host name is loopback',
      nodeIPs: [],
      network: { lookup: () => Promise.resolve(['127.0.1.1']) },
      ips: ['10.0.0.5'],
    },
    {
      name: 'IPv6 where there is no other',
      nodeIPs: [],
      network: { routedAddress: (family) => Promise.resolve(family === 6 ? 'fd00::5' : undefined) },
      ips: ['fd00::5'],
    },
  ])('A node has $name', async ({ nodeIPs, network, ips }) => {
    const request = { nodeName: 'n', hostname: 'host', nodeIPs };
    expect(await findNodeAddresses(request, networkWith(network))).toEqual([
      ...ips.map((address) => ({ type: 'InternalIP', address })),
      { type: 'Hostname', address: 'n' },
    ]);
  });

  test('A machine without a network has no address', async () => {
    const network = networkWith({ routedAddress: () => Promise.resolve(undefined) });
    await expect(findNodeAddresses({ nodeName: 'n', hostname: 'host', nodeIPs: [] }, network)).rejects.toThrow(
      "can't get ip address of node host: no default routes found",
    );
  });

  test.each([
    { ip: '10.0.0.5', problem: undefined },
    { ip: '::', problem: undefined },
    { ip: '127.0.0.1', problem: "nodeIP can't be loopback address" },
    { ip: '224.0.0.1', problem: "nodeIP can't be a multicast address" },
    { ip: 'fe80::1', problem: "nodeIP can't be a link-local unicast address" },
    { ip: '10.9.9.9', problem: 'node IP: "10.9.9.9" not found in the host\'s network interfaces' },
  ])('The address $ip has the problem $problem', ({ ip, problem }) => {
    expect(nodeIpProblem(ip, ['10.0.0.5'])).toBe(problem);
  });
});
