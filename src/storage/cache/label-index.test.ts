import { expect, test } from 'vitest';
import type { StoredObject } from '../objects.ts';
import { LabelIndex } from './label-index.ts';

const objectOf = (name: string, labels: Readonly<Record<string, string>>): StoredObject => ({
  key: `/${name}`,
  revision: 1,
  bytes: Buffer.alloc(0),
  attributes: { namespace: '', name, labels: new Map(Object.entries(labels)), fields: new Map() },
});

const namesOf = (found: ReadonlySet<StoredObject> | undefined): string[] | undefined =>
  found && [...found].map(({ attributes: attributes }) => attributes.name);

test('The rarest of the required labels is what is looked at', () => {
  const objects = [
    objectOf('one', { app: 'a', tier: 'x' }),
    objectOf('two', { app: 'b', tier: 'x' }),
    objectOf('three', { tier: 'x' }),
  ];
  const index = new LabelIndex();
  const find = (required: Readonly<Record<string, string>>): string[] | undefined =>
    namesOf(index.find(new Map(Object.entries(required)), (use) => objects.forEach(use)));
  expect(find({ tier: 'x', app: 'b' })).toEqual(['two']);
  expect(find({ tier: 'x' })).toEqual(['one', 'two', 'three']);
  expect(find({ tier: 'y' })).toEqual([]);
  expect(find({})).toBeUndefined();
});

test('A label is looked up in all objects once, until others were asked for more lately', () => {
  const index = new LabelIndex();
  const asked: string[] = [];
  const ask = (key: string): unknown => index.find(new Map([[key, 'v']]), () => asked.push(key));
  for (let key = 0; key < 8; key++) ask(`k${key}`);
  ask('k0');
  expect(asked).toHaveLength(8);
  ask('k8');
  ask('k0');
  ask('k1');
  expect(asked.slice(8)).toEqual(['k8', 'k1']);
});

test('However many labels are required, all objects are looked at for a few', () => {
  let looks = 0;
  new LabelIndex().find(new Map(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 'v'])), () => looks++);
  expect(looks).toBe(8);
});
