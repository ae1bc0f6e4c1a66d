import { describe, expect, test } from 'vitest';
import type { Node, Service } from '../../api/gen/types/core-v1.ts';
import type { Endpoint, EndpointSlice } from '../../api/gen/types/discovery-v1.ts';
import { noChanges } from '../shared/slice-changes.ts';
import { withHints, withTopologyHints } from './hints.ts';
import { Topology } from './topology.ts';
import { ZoneCpu } from './zone-cpu.ts';

const endpoint = (id: number, zone: string, { ready = true, hint = '' } = {}): Endpoint => ({
  addresses: [`10.0.0.${id}`],
  conditions: { ready },
  ...(zone === '' ? {} : { zone }),
  ...(hint === '' ? {} : { hints: { forZones: [{ name: hint }] } }),
});
const slice = (name: string, endpoints: Endpoint[]): EndpointSlice => ({
  metadata: { name },
  addressType: 'IPv4',
  endpoints,
});
const zonesOf = (slices: readonly EndpointSlice[]): string[][] =>
  slices.map(({ endpoints = [] }) => endpoints.map(({ hints }) => hints?.forZones?.[0]?.name ?? '-'));
const service = (annotations: Record<string, string> = {}, spec: object = {}): Service =>
  ({ metadata: { name: 'web', namespace: 'n', annotations }, spec }) as unknown as Service;
const auto = service({ 'service.kubernetes.io/topology-mode': 'Auto' });

describe('hints by traffic distribution', () => {
  test.each([
    { name: 'PreferClose', spec: { trafficDistribution: 'PreferClose' }, expected: ['z1', '-', '-'] },
    { name: 'nothing', spec: {}, expected: ['-', '-', '-'] },
    { name: 'another value', spec: { trafficDistribution: 'Other' }, expected: ['-', '-', '-'] },
  ])('Hints by traffic distribution: $name', ({ spec, expected }) => {
    const endpoints = [endpoint(1, 'z1'), endpoint(2, 'z1', { ready: false, hint: 'z1' }), endpoint(3, '')];
    const hinted = withHints(service({}, spec), { ...noChanges(), create: [slice('a', endpoints)] });
    expect(zonesOf(hinted.create)).toEqual([expected]);
  });

  test('A slice is written when its hints alone change', () => {
    const unchanged = [slice('a', [endpoint(1, 'z1', { hint: 'z1' })]), slice('b', [endpoint(2, 'z1')])];
    const hinted = withHints(service(), { ...noChanges(), unchanged });
    expect(hinted.update.map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect(hinted.unchanged.map(({ metadata }) => metadata.name)).toEqual(['b']);
  });
});

describe('hints by the CPU of zones', () => {
  const half = new Map([
    ['z1', 0.5],
    ['z2', 0.5],
  ]);
  const uneven = new Map([
    ['z1', 0.25],
    ['z2', 0.75],
  ]);

  test.each([
    {
      name: 'endpoints serve their own zone where each zone has its part',
      ratios: half,
      zones: ['z1', 'z1', 'z2', 'z2'],
      expected: ['z1', 'z1', 'z2', 'z2'],
    },
    {
      name: 'a zone with more than its part gives to one with less',
      ratios: half,
      zones: ['z1', 'z1', 'z1', 'z1'],
      expected: ['z2', 'z2', 'z1', 'z1'],
    },
    {
      name: 'a zone with more CPU gets more endpoints',
      ratios: uneven,
      zones: ['z1', 'z1', 'z2', 'z2'],
      expected: ['z2', 'z1', 'z2', 'z2'],
    },
    {
      name: 'a difference of less than one endpoint stays',
      ratios: half,
      zones: ['z1', 'z1', 'z1', 'z2', 'z2', 'z2', 'z2'],
      expected: ['z1', 'z1', 'z1', 'z2', 'z2', 'z2', 'z2'],
    },
  ])('Hints by the CPU of zones: $name', ({ ratios, zones, expected }) => {
    const endpoints = zones.map((zone, i) => endpoint(i, zone));
    const { changes, counts } = withTopologyHints({ ...noChanges(), create: [slice('a', endpoints)] }, ratios);
    expect(zonesOf(changes.create)).toEqual([expected]);
    const wanted = new Map<string, number>();
    for (const zone of expected) wanted.set(zone, (wanted.get(zone) ?? 0) + 1);
    expect([...counts!].sort()).toEqual([...wanted].sort());
  });

  test.each([
    {
      name: 'nothing is known of the nodes',
      ratios: undefined,
      zones: ['z1'],
      problem: 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes',
    },
    {
      name: 'there are fewer endpoints than zones',
      ratios: half,
      zones: ['z1'],
      problem: 'Insufficient number of endpoints (1 endpoints, 2 zones)',
    },
    {
      name: 'a zone would be overloaded',
      ratios: uneven,
      zones: ['z1', 'z2'],
      problem: [
        'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold',
        '(2 endpoints, 2 zones)',
      ].join(' '),
    },
    {
      name: 'an endpoint has no zone',
      ratios: half,
      zones: ['z1', '', 'z2', 'z2'],
      problem: 'One or more endpoints do not have a zone specified',
    },
  ])('There are no hints where $name', ({ ratios, zones, problem }) => {
    const endpoints = zones.map((zone, i) => endpoint(i, zone, { hint: 'z1' }));
    const found = withTopologyHints({ ...noChanges(), unchanged: [slice('a', endpoints)] }, ratios);
    expect(found.problem).toBe(problem);
    expect(zonesOf(found.changes.update)).toEqual([zones.map(() => '-')]);
  });

  test('A slice whose hints still fit is not written', () => {
    const unchanged = [
      slice('a', [endpoint(1, 'z1', { hint: 'z1' }), endpoint(2, 'z2', { hint: 'z2' })]),
      slice('b', [endpoint(3, 'z1', { hint: 'z9' }), endpoint(4, 'z2')]),
    ];
    const { changes } = withTopologyHints({ ...noChanges(), unchanged }, half);
    expect(changes.unchanged.map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect(zonesOf(changes.update)).toEqual([['z1', 'z2']]);
  });
});

describe('what a service is told of its hints', () => {
  const node = (name: string, zone: string, cpu = '2', more: object = {}): Node =>
    ({
      metadata: { name, labels: { 'topology.kubernetes.io/zone': zone, ...more } },
      status: { allocatable: { cpu }, conditions: [{ type: 'Ready', status: 'True' }] },
    }) as unknown as Node;
  const changes = () => ({ ...noChanges(), create: [slice('a', [endpoint(1, 'z1'), endpoint(2, 'z2')])] });

  test('A service is told once that its hints are there, and once that they are not', () => {
    const topology = new Topology();
    topology.setNode(node('n1', 'z1'));
    topology.setNode(node('n2', 'z2'));
    const hint = (of: Service) => topology.hint('n/web', of, 'IPv4', changes()).event;
    expect(hint(auto)).toEqual({
      type: 'Normal',
      reason: 'TopologyAwareHintsEnabled',
      message: 'Topology Aware Hints has been enabled, addressType: IPv4',
    });
    expect(hint(auto)).toBeUndefined();
    expect(hint(service())).toEqual({
      type: 'Warning',
      reason: 'TopologyAwareHintsDisabled',
      message: 'Topology Aware Hints has been disabled, addressType: IPv4',
    });
    expect(hint(service())).toBeUndefined();
  });

  test('A service is looked at again when a node makes one of its zones too small', () => {
    const topology = new Topology();
    topology.setNode(node('n1', 'z1'));
    topology.setNode(node('n2', 'z2'));
    topology.hint('n/web', auto, 'IPv4', changes());
    expect(topology.overloaded()).toEqual([]);
    topology.setNode(node('n3', 'z2', '8'));
    expect(topology.overloaded()).toEqual(['n/web']);
    topology.deleteNode('n3');
    expect(topology.overloaded()).toEqual([]);
  });

  test.each([
    {
      name: 'by the CPU of ready nodes',
      nodes: [node('a', 'z1', '1'), node('b', 'z2', '3')],
      expected: [
        ['z1', 0.25],
        ['z2', 0.75],
      ],
    },
    { name: 'none for a single zone', nodes: [node('a', 'z1')], expected: undefined },
    {
      name: 'none when a node has no zone',
      nodes: [node('a', 'z1'), node('b', 'z2'), node('c', '')],
      expected: undefined,
    },
    {
      name: 'without nodes of the control plane',
      nodes: [node('a', 'z1'), node('b', 'z2'), node('c', 'z3', '9', { 'node-role.kubernetes.io/control-plane': '' })],
      expected: [
        ['z1', 0.5],
        ['z2', 0.5],
      ],
    },
  ])('Parts of zones: $name', ({ nodes, expected }) => {
    const cpu = new ZoneCpu();
    for (const each of nodes) cpu.set(each);
    const ratios = cpu.ratios();
    expect(ratios === undefined ? undefined : [...ratios]).toEqual(expected);
  });
});
