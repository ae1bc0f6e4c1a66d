import { describe, expect, it } from 'vitest';
import { randomInt, pick, randomSource, type RandomSource } from '../../../test/support/random.ts';
import { schemas } from '../../../test/support/schemas.ts';
import { isEqual } from '../equal.ts';
import type { KubeObject, ManagedFieldsEntry } from '../object-meta.ts';
import { RawJson, type JsonObject } from '../value.ts';
import { createBuiltInTypes } from './built-in-types.ts';
import { compareObjects } from './compare.ts';
import { FieldSet } from './field-set.ts';
import { parseFieldsText } from './fields-v1.ts';
import { keepTimes } from './index.ts';
import {
  second,
  timeOf,
  configMap,
  update,
  stored,
  changed,
  entries,
  entry,
  type ConfigMap,
} from './testing/updates.ts';

describe('many updaters', () => {
  const grow = (count: number, now: (index: number) => Date): ConfigMap => {
    let live = stored(update({ object: configMap({ k: 'v' }), manager: 'm0', now: now(0) }));
    for (let i = 1; i <= count; i++)
      live = stored(
        update({ live, object: changed(live, { ...live.data, [`k${i}`]: '1' }), manager: `m${i}`, now: now(i) }),
      );
    return live;
  };

  it('Many updaters are ten at most: the oldest become ancient changes', () => {
    const live = grow(12, second);
    expect(live.metadata!.managedFields!.map(({ manager }) => manager)).toEqual([
      'ancient-changes',
      'm4',
      'm5',
      'm6',
      'm7',
      'm8',
      'm9',
      'm10',
      'm11',
      'm12',
    ]);
    expect(entries(live)![0]).toEqual(
      entry(
        'ancient-changes',
        { 'f:data': { '.': {}, 'f:k': {}, 'f:k1': {}, 'f:k2': {}, 'f:k3': {} } },
        { time: timeOf(3) },
      ),
    );
  });

  it('Updaters of one second are merged in the order of their names', () => {
    expect(entries(grow(11, () => second(0)))![0]).toEqual(
      entry('ancient-changes', { 'f:data': { '.': {}, 'f:k': {}, 'f:k1': {}, 'f:k10': {} } }),
    );
  });
});

describe('times', () => {
  const created = stored(update({ object: configMap({ k: 'v' }), manager: 'one' }));
  const isCreated = (object: ConfigMap): boolean => isEqual(stored(object), created);
  const touched = (object: ConfigMap): ConfigMap => ({
    ...object,
    metadata: {
      ...object.metadata,
      managedFields: object.metadata!.managedFields!.map((item) => ({ ...item, time: timeOf(9) })),
    },
  });

  it('Times of managed fields stay when nothing but times differs', () =>
    expect(entries(keepTimes(touched(created), created, isCreated))).toEqual(entries(created)));
  it('Times of managed fields are new when the object differs', () =>
    expect(keepTimes(touched(changed(created, { k: 'w' })), created, isCreated).metadata!.managedFields![0]!.time).toBe(
      timeOf(9),
    ));
  it('Times of managed fields are new when another manager came', () => {
    const next = update({ live: created, object: changed(created, { k: 'w' }), manager: 'two', now: second(9) });
    expect(keepTimes(next, created, isCreated)).toBe(next);
  });
});

it('Leaves every field with exactly one updater, over any history', () => {
  const random = randomSource(77);
  const type = createBuiltInTypes(schemas).of('core/v1.PodSpec');
  for (let round = 0; round < 40; round++) {
    let live: KubeObject | undefined;
    for (let step = 0; step < 12; step++) {
      const spec = randomSpec(random);
      const object = { ...live, metadata: { name: 'p', ...live?.metadata }, spec } as KubeObject;
      live = stored(
        update({ live, object, manager: pick(random, ['a', 'b', 'c']), typeId: 'core/v1.Pod', now: second(step) }),
      );
      const sets = (live.metadata!.managedFields ?? []).map(({ fieldsV1 }) =>
        parseFieldsText((fieldsV1 as unknown as RawJson).text),
      );
      const all = sets.reduce((sum, set) => sum.union(set), FieldSet.empty);
      const expected = [...compareObjects(type, {}, spec, 'normalized').added.paths()]
        .map((path) => `.spec${path.join('')}`)
        .sort();
      expect([...all.paths()].map((path) => path.join('')).sort()).toEqual(expected);
      expect(sets.reduce((sum, set) => sum + [...set.paths()].length, 0)).toBe(expected.length);
    }
  }
});

function randomSpec(random: RandomSource): JsonObject {
  const names = ['a', 'b', 'c'].filter(() => random() < 0.7);
  return {
    containers: names.map((name) => ({
      name,
      image: pick(random, ['x', 'y']),
      ...(random() < 0.5 && { env: [{ name: 'E', value: pick(random, ['1', '2']) }] }),
    })),
    ...(random() < 0.5 && { hostname: pick(random, ['h', 'i']) }),
    ...(random() < 0.5 && { nodeSelector: { zone: pick(random, ['1', '2']) } }),
    ...(random() < 0.5 && { tolerations: [{ key: pick(random, ['k', 'l']) }] }),
    ...(random() < 0.3 && { terminationGracePeriodSeconds: randomInt(random, 2) }),
  };
}

it('Pours an updater that is older than the bucket into it', () => {
  const fields = (name: string) => new RawJson(`{"f:data":{"f:${name}":{}}}`).asValue();
  const recorded = ['k0', 'ancient', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8', 'k9'];
  const managedFields = recorded.map(
    (name, index): ManagedFieldsEntry => ({
      ...entry(index === 1 ? 'ancient-changes' : `m${index}`, {}),
      time: timeOf(index),
      fieldsV1: fields(name),
    }),
  );
  const live = stored(configMap(Object.fromEntries(recorded.map((name) => [name, 'v'])), { managedFields }));
  const next = update({ live, object: changed(live, { ...live.data, k10: 'v' }), manager: 'm10', now: second(10) });
  expect(entries(next)![0]).toEqual(
    entry('ancient-changes', { 'f:data': { 'f:ancient': {}, 'f:k0': {} } }, { time: timeOf(1) }),
  );
  expect(next.metadata!.managedFields).toHaveLength(10);
});
