import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { EndpointPort, EndpointSubset } from '../../api/gen/types/core-v1.ts';
import { Latch } from '../../base/latch.ts';
import {
  createLeaseReconciler,
  type EndpointReconciler,
  withAddresses,
  withOwnAddress,
} from './endpoint-reconcilers.ts';

const ports: EndpointPort[] = [{ name: 'https', port: 6443, protocol: 'TCP' }];
const oldPorts: EndpointPort[] = [{ name: 'https', port: 443, protocol: 'TCP' }];
const subset = (ips: readonly string[], with_ = ports): EndpointSubset => ({
  addresses: ips.map((ip) => ({ ip })),
  ports: with_,
});
const ipsOf = (subsets: readonly EndpointSubset[]): string[][] =>
  subsets.map(({ addresses = [] }) => addresses.map(({ ip }) => ip!));

describe('endpoints of the servers that have a lease', () => {
  test.each([
    { name: 'none yet', current: undefined, ips: ['10.0.0.2', '10.0.0.1'], expected: [['10.0.0.1', '10.0.0.2']] },
    {
      name: 'one came',
      current: [subset(['10.0.0.1'])],
      ips: ['10.0.0.1', '10.0.0.2'],
      expected: [['10.0.0.1', '10.0.0.2']],
    },
    { name: 'one went', current: [subset(['10.0.0.1', '10.0.0.2'])], ips: ['10.0.0.2'], expected: [['10.0.0.2']] },
    { name: 'another took its place', current: [subset(['10.0.0.1'])], ips: ['10.0.0.2'], expected: [['10.0.0.2']] },
    {
      name: 'the order of others stays',
      current: [subset(['10.0.0.2', '10.0.0.1'])],
      ips: ['10.0.0.1', '10.0.0.2'],
      expected: [['10.0.0.2', '10.0.0.1']],
    },
    {
      name: 'several subsets are nothing of ours',
      current: [subset(['10.0.0.1']), subset(['10.0.0.2'])],
      ips: ['10.0.0.3'],
      expected: [['10.0.0.3']],
    },
    { name: 'no server is left', current: [subset(['10.0.0.1'])], ips: [], expected: [] },
  ])('Endpoints of the servers that have a lease: $name', ({ current, ips, expected }) =>
    expect(ipsOf(withAddresses(current, ips, ports, false))).toEqual(expected),
  );

  test('Ports of the kubernetes endpoints stay until a server says that they are wrong', () => {
    const current = [subset(['10.0.0.1'], oldPorts)];
    expect([false, true].map((fix) => withAddresses(current, ['10.0.0.1'], ports, fix)[0]!.ports)).toEqual([
      oldPorts,
      ports,
    ]);
  });
});

describe('servers that come and go while another one publishes', () => {
  /** What the servers share, and a publication that waits between the look at the leases and its write. */
  const shared = (ips: readonly string[]) => {
    const leases = new Set(ips);
    let published: EndpointSubset[] = [];
    const held: Latch[] = [];
    const serverAt = (ip: string): EndpointReconciler =>
      createLeaseReconciler({
        ip,
        ports,
        leases: {
          list: () => Promise.resolve([...leases].sort()),
          renew: (own) => Promise.resolve(void leases.add(own)),
          remove: (own) => Promise.resolve(void leases.delete(own)),
        },
        endpoints: {
          exist: () => Promise.resolve(true),
          publish: async (change) => {
            await held.shift()?.wait();
            published = change(published);
          },
        },
      });
    const holdNext = (): Latch => {
      held.push(new Latch());
      return held.at(-1)!;
    };
    return { serverAt, holdNext, published: () => ipsOf(published).flat() };
  };

  test.each([
    {
      what: 'stops is not published',
      before: ['a', 'b'],
      meanwhile: (b: EndpointReconciler) => b.withdraw(false),
      expected: ['a'],
    },
    {
      what: 'starts is not taken away',
      before: ['a'],
      meanwhile: (b: EndpointReconciler) => b.reconcile(),
      expected: ['a', 'b'],
    },
  ])('One that $what by one that looked before', async ({ before, meanwhile, expected }) => {
    const { serverAt, holdNext, published } = shared(before);
    const publication = holdNext();
    const round = serverAt('a').reconcile();
    await turn();
    await meanwhile(serverAt('b'));
    publication.open();
    await round;
    expect(published()).toEqual(expected);
  });

  test('One that stops publishes the one that has come since it looked', async () => {
    const { serverAt, holdNext, published } = shared(['a']);
    const publication = holdNext();
    const withdrawal = serverAt('a').withdraw(true);
    await turn();
    await serverAt('b').reconcile();
    publication.open();
    await withdrawal;
    expect(published()).toEqual(['b']);
  });
});

describe('endpoints of a known number of servers', () => {
  test.each([
    { name: 'none yet', current: undefined, count: 1, expected: [['10.0.0.5']] },
    {
      name: 'there already',
      current: [subset(['10.0.0.5', '10.0.0.1'])],
      count: 2,
      expected: [['10.0.0.5', '10.0.0.1']],
    },
    {
      name: 'fewer addresses than the count',
      current: [subset(['10.0.0.9'])],
      count: 2,
      expected: [['10.0.0.5', '10.0.0.9']],
    },
    {
      name: 'the one behind gives way',
      current: [subset(['10.0.0.1', '10.0.0.9'])],
      count: 2,
      expected: [['10.0.0.1', '10.0.0.5']],
    },
    {
      name: 'around the end',
      current: [subset(['10.0.0.1', '10.0.0.2'])],
      count: 2,
      expected: [['10.0.0.2', '10.0.0.5']],
    },
    {
      name: 'fewer servers than there were',
      current: [subset(['10.0.0.1', '10.0.0.5', '10.0.0.7', '10.0.0.8'])],
      count: 1,
      expected: [['10.0.0.5']],
    },
    {
      name: 'several subsets are nothing of ours',
      current: [subset(['10.0.0.1']), subset(['10.0.0.2'])],
      count: 3,
      expected: [['10.0.0.5']],
    },
  ])('Endpoints of a known number of servers: $name', ({ current, count, expected }) =>
    expect(ipsOf(withOwnAddress(current, '10.0.0.5', ports, count))).toEqual(expected),
  );
});
