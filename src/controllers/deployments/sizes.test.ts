import { describe, expect, test } from 'vitest';
import type { Deployment, ReplicaSet } from '../../api/gen/types/apps-v1.ts';
import { isScaled, newSetSize, oldSetSizes, type Resize, scaledSizes } from './sizes.ts';
import { deployment, replicaSet } from './testing/objects.ts';

const sizes = (resizes: readonly Resize[]): Record<string, number> =>
  Object.fromEntries(resizes.map(({ set, size }) => [set.metadata.name!, size]));

const rolling = (replicas: number, maxSurge: number | string, maxUnavailable: number | string): Deployment =>
  deployment({ replicas, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } });
const recreate = (replicas: number): Deployment => deployment({ replicas, strategy: { type: 'Recreate' } });

describe('the size of the new ReplicaSet', () => {
  test.each<{ name: string; of: Deployment; old: number; current: number | undefined; size: number }>([
    { name: 'is all at once where there was nothing', of: rolling(10, 0, 1), old: 0, current: undefined, size: 10 },
    { name: 'is what the surge allows', of: rolling(10, 3, 0), old: 10, current: 0, size: 3 },
    { name: 'is what a surge in percent allows, rounded up', of: rolling(10, '25%', 0), old: 10, current: 0, size: 3 },
    { name: 'grows by what old ones gave up', of: rolling(10, 2, 2), old: 6, current: 2, size: 6 },
    { name: 'stays while there is no free place', of: rolling(10, 0, 2), old: 8, current: 2, size: 2 },
    { name: 'never is more than wanted', of: rolling(4, '100%', 0), old: 0, current: 3, size: 4 },
    { name: 'is all that is wanted when pods are recreated', of: recreate(5), old: 0, current: 0, size: 5 },
  ])('The size of the new ReplicaSet $name', ({ of, old, current, size }) => {
    const set = current === undefined ? undefined : replicaSet('new', current);
    expect(newSetSize(of, [replicaSet('old', old), ...(set === undefined ? [] : [set])], set)).toBe(size);
  });
});

describe('the sizes of old ReplicaSets', () => {
  interface Row {
    readonly name: string;
    readonly of: Deployment;
    readonly old: readonly ReplicaSet[];
    readonly current: ReplicaSet;
    readonly to: Readonly<Record<string, number>>;
  }
  test.each<Row>([
    {
      name: 'stay until a new pod is available',
      ...{ of: rolling(10, 3, 0), old: [replicaSet('a', 10)], current: replicaSet('new', 3, { available: 0 }), to: {} },
    },
    {
      name: 'shrink by the new pods that are available',
      ...{ of: rolling(10, 3, 0), old: [replicaSet('a', 10)], current: replicaSet('new', 3), to: { a: 7 } },
    },
    {
      name: 'shrink at once by what may be unavailable',
      ...{ of: rolling(10, 0, 4), old: [replicaSet('a', 10)], current: replicaSet('new', 0), to: { a: 6 } },
    },
    {
      name: 'lose pods that are not available first, whatever the age of their set',
      ...{ of: rolling(10, 2, 0), current: replicaSet('new', 2) },
      old: [replicaSet('a', 5, { age: 2 }), replicaSet('b', 5, { age: 1, available: 2 })],
      to: { b: 3 },
    },
    {
      name: 'shrink from the oldest set on',
      ...{ of: rolling(10, 4, 0), current: replicaSet('new', 4) },
      old: [replicaSet('b', 8, { age: 1 }), replicaSet('a', 2, { age: 2 })],
      to: { a: 0, b: 6 },
    },
    {
      name: 'stay when there are none',
      ...{ of: rolling(3, 1, 0), old: [replicaSet('a', 0)], current: replicaSet('new', 3), to: {} },
    },
  ])('The sizes of old ReplicaSets $name', ({ of, old, current, to }) => {
    expect(sizes(oldSetSizes(of, old, current))).toEqual(to);
  });
});

describe('a Deployment that is given another size', () => {
  const resized = (before: number): { desired: number; max: number } => ({ desired: before, max: before + 3 });

  test.each([
    { name: 'is noticed by the annotation of a set with pods', of: rolling(5, 1, 0), size: 3, is: true },
    { name: 'is not noticed where the size is the same', of: rolling(3, 1, 0), size: 3, is: false },
    { name: 'is not noticed by a set without pods', of: rolling(5, 1, 0), size: 0, is: false },
  ])('A Deployment that is given another size $name', ({ of, size, is }) => {
    expect(isScaled(of, [replicaSet('a', size, { desired: 3, max: 4 })])).toBe(is);
  });

  interface Row {
    readonly name: string;
    readonly of: Deployment;
    readonly old: readonly ReplicaSet[];
    readonly current: ReplicaSet | undefined;
    readonly to: Readonly<Record<string, number>>;
  }
  test.each<Row>([
    {
      name: 'gives it to the one set with pods',
      ...{ of: rolling(7, 1, 0), old: [replicaSet('a', 3)], current: replicaSet('new', 0), to: { a: 7 } },
    },
    {
      name: 'gives it to the new set where none has pods',
      ...{ of: rolling(7, 1, 0), old: [replicaSet('a', 0)], current: replicaSet('new', 0), to: { new: 7 } },
    },
    {
      name: 'gives each set its part during a rollout',
      ...{ of: rolling(20, 3, 0), to: { a: 14, new: 9 } },
      old: [replicaSet('a', 8, resized(10))],
      current: replicaSet('new', 5, resized(10)),
    },
    {
      name: 'takes from each set its part during a rollout',
      ...{ of: rolling(5, 3, 0), to: { a: 5, new: 3 } },
      old: [replicaSet('a', 8, resized(10))],
      current: replicaSet('new', 5, resized(10)),
    },
    {
      name: 'takes all pods of all sets for a size of nothing',
      ...{ of: rolling(0, 3, 0), to: { a: 0, new: 0 } },
      old: [replicaSet('a', 8, resized(10))],
      current: replicaSet('new', 5, resized(10)),
    },
    {
      name: 'ends what is left of old sets when the new one is whole',
      ...{ of: rolling(5, 1, 0), to: { a: 0 } },
      old: [replicaSet('a', 1)],
      current: replicaSet('new', 5, { desired: 5, max: 6 }),
    },
    {
      name: 'resizes nothing while pods are recreated',
      ...{ of: recreate(5), old: [replicaSet('a', 1)], current: replicaSet('new', 2), to: {} },
    },
  ])('A Deployment that is given another size $name', ({ of, old, current, to }) => {
    expect(sizes(scaledSizes(of, old, current))).toEqual(to);
  });
});
