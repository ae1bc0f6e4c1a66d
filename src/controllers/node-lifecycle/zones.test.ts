import { expect, test } from 'vitest';
import type { Node } from '../../api/gen/types/core-v1.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { ratesOf, ZonePace, zoneOf, zoneState } from './zones.ts';

test.each([
  { name: 'all nodes are ready', ready: 5, notReady: 0, state: 'Normal' },
  { name: 'there are no nodes', ready: 0, notReady: 0, state: 'Normal' },
  { name: 'no node is ready', ready: 0, notReady: 1, state: 'FullDisruption' },
  { name: 'two of three nodes are away', ready: 1, notReady: 2, state: 'Normal' },
  { name: 'three of five nodes are away', ready: 2, notReady: 3, state: 'PartialDisruption' },
  { name: 'fewer than the threshold are away', ready: 5, notReady: 5, state: 'Normal' },
])('The state of a zone where $name', ({ ready, notReady, state }) => {
  expect(zoneState(ready, notReady, 0.55)).toBe(state);
});

const rates = {
  evictionRate: 0.1,
  secondaryEvictionRate: 0.01,
  largeClusterSizeThreshold: 50,
  unhealthyZoneThreshold: 0.55,
};

test.each([
  { name: 'healthy zones', zones: { a: [3, 0], b: [3, 1] }, expected: { a: 0.1, b: 0.1 } },
  { name: 'a small zone with a fault', zones: { a: [3, 0], b: [1, 3] }, expected: { a: 0.1, b: 0 } },
  { name: 'a large zone with a fault', zones: { a: [3, 0], b: [20, 40] }, expected: { a: 0.1, b: 0.01 } },
  { name: 'a zone of which all is away', zones: { a: [3, 0], b: [0, 3] }, expected: { a: 0.1, b: 0.1 } },
  { name: 'only zones of which all is away', zones: { a: [0, 3], b: [0, 1] }, expected: { a: 0, b: 0 } },
  { name: 'zones of which all is away or does not count', zones: { a: [0, 3], b: [0, 0] }, expected: { a: 0, b: 0 } },
  { name: 'zones without nodes that count', zones: { a: [0, 0] }, expected: { a: 0.1 } },
])('Evictions per second in $name', ({ zones, expected }) => {
  const counts = Object.entries(zones).map(
    ([zone, [ready, notReady]]) => [zone, { ready: ready!, notReady: notReady! }] as const,
  );
  expect(Object.fromEntries(ratesOf(new Map(counts), rates))).toEqual(expected);
});

test.each([
  {
    name: 'region and zone',
    labels: { 'topology.kubernetes.io/region': 'r', 'topology.kubernetes.io/zone': 'z' },
    zone: 'r:\0:z',
  },
  {
    name: 'the labels of before',
    labels: { 'failure-domain.beta.kubernetes.io/region': 'r', 'failure-domain.beta.kubernetes.io/zone': 'z' },
    zone: 'r:\0:z',
  },
  { name: 'a zone alone', labels: { 'topology.kubernetes.io/zone': 'z' }, zone: ':\0:z' },
  { name: 'nothing', labels: {}, zone: '' },
])('The zone of a node that says $name', ({ labels, zone }) => {
  expect(zoneOf({ metadata: { name: 'n', labels } } as unknown as Node)).toBe(zone);
});

test('One node passes at once, and others at the rate of the zone', async () => {
  const clock = new FakeClock();
  const pace = new ZonePace(clock, 0.1);
  expect([pace.tryTake(), pace.tryTake()]).toEqual([true, false]);
  await clock.advance(9_999);
  expect(pace.tryTake()).toBe(false);
  await clock.advance(1);
  expect([pace.tryTake(), pace.tryTake()]).toEqual([true, false]);
});

test('A long pause lets no more than one node pass', async () => {
  const clock = new FakeClock();
  const pace = new ZonePace(clock, 0.1);
  await clock.advance(1_000_000);
  expect([pace.tryTake(), pace.tryTake()]).toEqual([true, false]);
});

test('A new rate counts from when it is set, and none stops all', async () => {
  const clock = new FakeClock();
  const pace = new ZonePace(clock, 0.1);
  pace.tryTake();
  await clock.advance(5_000);
  pace.rate = 1;
  await clock.advance(500);
  expect(pace.tryTake()).toBe(true);
  pace.rate = 0;
  await clock.advance(100_000);
  expect(pace.tryTake()).toBe(false);
});
