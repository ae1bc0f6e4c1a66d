import { describe, expect, test } from 'vitest';
import type { Node } from '../../api/gen/types/core-v1.ts';
import { parseCidr } from '../../machinery/formats/addresses.ts';
import type { CloudRoute } from '../cloud/provider.ts';
import { networkCondition, planRoutes } from './sync.ts';

const address = (text: string) => ({ type: 'InternalIP' as const, address: text });
const now = '2026-01-01T00:00:00Z';

const node = (name: string, podCIDRs: string[], status: object = {}): Node =>
  ({
    metadata: { name, uid: `uid-${name}` },
    spec: { podCIDRs },
    status: { addresses: [address('192.0.2.1')], ...status },
  }) as Node;

const route = (targetNode: string, destinationCidr: string, more: Partial<CloudRoute> = {}): CloudRoute => ({
  targetNode,
  destinationCidr,
  ...more,
});

describe('the routes of a cluster', () => {
  const [a, b] = [node('a', ['10.1.1.0/24']), node('b', ['10.1.2.0/24', 'fd00:1::/64'])];
  const [toA, toB, toB6] = [route('a', '10.1.1.0/24'), route('b', '10.1.2.0/24'), route('b', 'fd00:1::/64')];

  test.each<{ name: string; nodes: Node[]; routes: CloudRoute[]; create: CloudRoute[]; remove: CloudRoute[] }>([
    { name: 'are made for each range of each node', nodes: [a, b], routes: [], create: [toA, toB, toB6], remove: [] },
    { name: 'stay where they are right', nodes: [a, b], routes: [toA, toB, toB6], create: [], remove: [] },
    { name: 'are not made for a node without ranges', nodes: [node('c', [])], routes: [], create: [], remove: [] },
    { name: 'go with their node', nodes: [a], routes: [toA, toB], create: [], remove: [toB] },
    {
      name: 'move to the node that has the range now',
      nodes: [a],
      routes: [route('b', '10.1.1.0/24')],
      create: [toA],
      remove: [route('b', '10.1.1.0/24')],
    },
    {
      name: 'are made anew where they lead nowhere',
      nodes: [a],
      routes: [{ ...toA, isBlackhole: true }],
      create: [toA],
      remove: [{ ...toA, isBlackhole: true }],
    },
    {
      name: 'are made anew where the addresses of the node are others now',
      nodes: [a],
      routes: [{ ...toA, targetNodeAddresses: [address('192.0.2.9')] }],
      create: [toA],
      remove: [{ ...toA, targetNodeAddresses: [address('192.0.2.9')] }],
    },
    {
      name: 'stay where the addresses are the same',
      nodes: [a],
      routes: [{ ...toA, targetNodeAddresses: [address('192.0.2.1')] }],
      create: [],
      remove: [],
    },
    {
      name: 'to elsewhere are left alone',
      nodes: [],
      routes: [route('x', '10.2.0.0/24'), route('x', '10.0.0.0/8'), route('x', 'nowhere')],
      create: [],
      remove: [],
    },
  ])('The routes of a cluster $name', ({ nodes, routes, create, remove }) => {
    const plan = planRoutes(nodes, routes, [parseCidr('10.1.0.0/16')!, parseCidr('fd00::/16')!]);
    expect(plan.remove).toEqual(remove);
    expect(plan.create.map(({ targetNode, destinationCidr }) => route(targetNode, destinationCidr))).toEqual(create);
  });

  test('The routes of a cluster that are made have the addresses and the uid of their node', () => {
    expect(planRoutes([a], [], []).create).toEqual([
      { ...toA, targetNodeAddresses: [address('192.0.2.1')], nameHint: 'uid-a' },
    ]);
  });
});

describe('the network of a node', () => {
  const said = (status: string) => ({ conditions: [{ type: 'NetworkUnavailable', status }] });

  test.each([
    { name: 'with routes is available', of: node('a', ['10.1.1.0/24']), has: true, status: 'False' },
    { name: 'without a route is not', of: node('a', ['10.1.1.0/24']), has: false, status: 'True' },
    { name: 'that has said so stays', of: node('a', ['10.1.1.0/24'], said('False')), has: true, status: undefined },
    {
      name: 'that has said otherwise changes',
      of: node('a', ['10.1.1.0/24'], said('True')),
      has: true,
      status: 'False',
    },
    { name: 'without ranges is not known yet', of: node('a', []), has: true, status: undefined },
  ])('The network of a node $name', ({ of, has, status }) => {
    expect(networkCondition(of, has, now)?.status).toBe(status);
  });

  test.each([
    { name: 'RouteCreated', has: true, message: 'RouteController created a route' },
    { name: 'NoRouteCreated', has: false, message: 'RouteController failed to create a route' },
  ])('The network of a node has the reason $name', ({ name, has, message }) => {
    expect(networkCondition(node('a', ['10.1.1.0/24']), has, now)).toMatchObject({
      type: 'NetworkUnavailable',
      reason: name,
      message,
      lastTransitionTime: now,
    });
  });
});
