import { expect, test } from 'vitest';
import type { Endpoint, EndpointSlice } from '../../api/gen/types/discovery-v1.ts';
import { distribute } from './slices.ts';

const endpoint = (id: number, ready = true): Endpoint => ({
  addresses: [`10.0.0.${id}`],
  conditions: { ready },
  targetRef: { kind: 'Pod', namespace: 'n', name: `p${id}`, uid: `u${id}` },
});
const labels = { a: 'b' };
const slice = (name: string, ids: readonly number[], more: Record<string, string> = labels): EndpointSlice => ({
  metadata: { name, labels: more },
  addressType: 'IPv4',
  endpoints: ids.map((id) => endpoint(id)),
});
const idsOf = ({ endpoints = [] }: EndpointSlice): number[] =>
  endpoints.map(({ addresses }) => Number(addresses![0]!.split('.')[3]));

interface Row {
  readonly name: string;
  readonly existing: readonly EndpointSlice[];
  readonly wanted: readonly Endpoint[];
  readonly expected: {
    readonly create?: readonly number[][];
    readonly update?: Readonly<Record<string, readonly number[]>>;
    readonly remove?: readonly string[];
    readonly unchanged?: readonly string[];
  };
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

test.each<Row>([
  {
    name: 'no slices, more endpoints than one slice takes',
    existing: [],
    wanted: range(1, 5).map((id) => endpoint(id)),
    expected: { create: [[1, 2], [3, 4], [5]] },
  },
  {
    name: 'nothing changed',
    existing: [slice('a', [1, 2])],
    wanted: [endpoint(2), endpoint(1)],
    expected: { unchanged: ['a'] },
  },
  {
    name: 'an endpoint that is no longer ready is written in place',
    existing: [slice('a', [1, 2])],
    wanted: [endpoint(1), endpoint(2, false)],
    expected: { update: { a: [1, 2] } },
  },
  {
    name: 'a new endpoint takes the place of one that is gone',
    existing: [slice('a', [1, 2]), slice('b', [3])],
    wanted: [endpoint(1), endpoint(3), endpoint(4)],
    expected: { update: { a: [1, 4] }, unchanged: ['b'] },
  },
  {
    name: 'a new endpoint goes into the fullest slice with space',
    existing: [slice('a', []), slice('b', [3])],
    wanted: [endpoint(3), endpoint(4)],
    expected: { update: { b: [3, 4] }, remove: ['a'] },
  },
  {
    name: 'a full slice stays, and a new one is made',
    existing: [slice('a', [1, 2])],
    wanted: range(1, 3).map((id) => endpoint(id)),
    expected: { create: [[3]], unchanged: ['a'] },
  },
  {
    name: 'a slice without endpoints is removed',
    existing: [slice('a', [1]), slice('b', [2])],
    wanted: [endpoint(1)],
    expected: { unchanged: ['a'], remove: ['b'] },
  },
  {
    name: 'a slice with other labels is written',
    existing: [slice('a', [1], { old: '1' })],
    wanted: [endpoint(1)],
    expected: { update: { a: [1] } },
  },
])('Endpoints are divided over slices: $name', ({ existing, wanted, expected }) => {
  const result = distribute({
    existing,
    wanted,
    newSlice: () => slice('new', []),
    maxPerSlice: 2,
    labelsOf: () => labels,
  });
  expect(result.create.map(idsOf)).toEqual(expected.create ?? []);
  expect(Object.fromEntries(result.update.map((each) => [each.metadata.name, idsOf(each)]))).toEqual(
    expected.update ?? {},
  );
  expect(result.remove.map(({ metadata }) => metadata.name)).toEqual(expected.remove ?? []);
  expect(result.unchanged.map(({ metadata }) => metadata.name)).toEqual(expected.unchanged ?? []);
  for (const { metadata } of [...result.create, ...result.update]) expect(metadata.labels).toBeDefined();
});
