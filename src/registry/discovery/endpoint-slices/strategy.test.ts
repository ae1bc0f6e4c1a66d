import { describe, expect, test } from 'vitest';
import type { EndpointSlice } from '../../../api/gen/types/discovery-v1.ts';
import type { StrategyContext } from '../../strategy.ts';
import { endpointSliceStrategy } from './strategy.ts';

const context = (enabled: boolean): StrategyContext => ({
  now: new Date(),
  user: { name: 'u', groups: [] },
  enabled: () => enabled,
  apiVersion: 'discovery.k8s.io/v1',
  allowPrivileged: false,
});

const slice = (members: Partial<EndpointSlice> = {}): EndpointSlice => ({
  metadata: { generation: 3 },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'], conditions: {} }],
  ...members,
});
const withTopology = (topology: Record<string, string>, address = '10.0.0.1'): EndpointSlice =>
  slice({ endpoints: [{ addresses: [address], conditions: {}, deprecatedTopology: topology }] });
const prepared = (next: EndpointSlice, old: EndpointSlice, enabled = true): EndpointSlice => {
  endpointSliceStrategy.prepareForUpdate!(next, old, context(enabled));
  return next;
};

describe('endpoint slices', () => {
  test.each([
    { name: 'nothing', next: slice(), generation: 3 },
    { name: 'an annotation', next: slice({ metadata: { generation: 3, annotations: { a: 'b' } } }), generation: 3 },
    { name: 'a label', next: slice({ metadata: { generation: 3, labels: { a: 'b' } } }), generation: 4 },
    { name: 'an endpoint', next: slice({ endpoints: [] }), generation: 4 },
    { name: 'a port', next: slice({ ports: [{ port: 1 }] }), generation: 4 },
  ])('Generation after a change of $name', ({ next, generation }) =>
    expect(prepared(next, slice()).metadata.generation).toBe(generation),
  );

  test('Topology of endpoint slices cannot be written', () => {
    const made = withTopology({ a: 'b' });
    endpointSliceStrategy.prepareForCreate!(made, context(true));
    expect(made.endpoints![0]!.deprecatedTopology).toBeUndefined();
  });

  test('Stored topology of endpoint slices stays until the endpoints change, then leaves the node name', () => {
    const old = withTopology({ 'kubernetes.io/hostname': 'n1' });
    expect(prepared(withTopology({ 'kubernetes.io/hostname': 'n1' }), old).endpoints![0]!.deprecatedTopology).toEqual({
      'kubernetes.io/hostname': 'n1',
    });
    expect(prepared(withTopology({ 'kubernetes.io/hostname': 'n1' }, '10.0.0.2'), old).endpoints![0]).toMatchObject({
      nodeName: 'n1',
      deprecatedTopology: undefined,
    });
    expect(
      prepared(withTopology({ 'kubernetes.io/hostname': 'n2' }, '10.0.0.2'), old).endpoints![0]!.nodeName,
    ).toBeUndefined();
  });

  test('Hints of endpoint slices are dropped where they are switched off, unless they are stored', () => {
    const hinted = (): EndpointSlice =>
      slice({ endpoints: [{ addresses: ['10.0.0.1'], conditions: {}, hints: { forZones: [{ name: 'z' }] } }] });
    expect(prepared(hinted(), slice(), false).endpoints![0]!.hints).toBeUndefined();
    expect(prepared(hinted(), hinted(), false).endpoints![0]!.hints).toBeDefined();
  });

  test('Names are deprecated as addresses of endpoint slices', () =>
    expect(endpointSliceStrategy.warningsOnCreate!(slice({ addressType: 'FQDN' }), context(true))).toEqual([
      'spec.addressType: FQDN endpoints are deprecated',
    ]));
});
