import { describe, expect, test } from 'vitest';
import { createRequirement, nothing } from '../machinery/label-selector.ts';
import { type Indexers, ObjectIndexes } from './indexers.ts';
import { Lister, namespaceIndexer } from './lister.ts';
import { type MemoryObject, MemorySource } from './testing/memory-source.ts';

const { view } = new MemorySource();
const object = (namespace: string, name: string, labels: Record<string, string> = {}): MemoryObject => ({
  namespace,
  name,
  labels,
  data: '',
  version: 1,
});
const names = (objects: readonly MemoryObject[]): string[] => objects.map((each) => view.keyOf(each)).sort();
const withLabel = (value: string) => [createRequirement('app', '=', [value])];

const objects = [
  object('x', 'a', { app: 'web' }),
  object('x', 'b', { app: 'db' }),
  object('y', 'a', { app: 'web' }),
  object('', 'wide'),
];

describe.each<{ name: string; indexers: Indexers<MemoryObject> }>([
  { name: 'without an index', indexers: {} },
  { name: 'with an index of namespaces', indexers: namespaceIndexer(view) },
])('a lister $name', ({ indexers }) => {
  const state = new ObjectIndexes(indexers);
  for (const each of objects) state.set(view.keyOf(each), each);
  const lister = new Lister(state, view);

  test.each([
    { name: 'all objects', got: () => lister.list(), expected: ['wide', 'x/a', 'x/b', 'y/a'] },
    { name: 'all with a label', got: () => lister.list(withLabel('web')), expected: ['x/a', 'y/a'] },
    { name: 'none for the selector of nothing', got: () => lister.list(nothing), expected: [] },
    { name: 'those of a namespace', got: () => lister.listIn('x'), expected: ['x/a', 'x/b'] },
    { name: 'those of a namespace with a label', got: () => lister.listIn('x', withLabel('db')), expected: ['x/b'] },
    { name: 'none of a namespace without any', got: () => lister.listIn('z'), expected: [] },
  ])('A lister lists $name', ({ got, expected }) => expect(names(got())).toEqual(expected));

  test('A lister finds an object by namespace and name', () => {
    expect(lister.get('x', 'b')).toBe(objects[1]);
    expect(lister.get('', 'wide')).toBe(objects[3]);
    expect(lister.get('y', 'b')).toBeUndefined();
  });
});

describe('an index', () => {
  const byLabel: Indexers<MemoryObject> = { label: ({ labels }) => Object.values(labels) };

  test('An index follows what is set, changed and deleted, and forgets values without objects', () => {
    const state = new ObjectIndexes(byLabel);
    state.set('a', object('', 'a', { one: '1', two: '2' }));
    state.set('b', object('', 'b', { one: '1' }));
    expect([names(state.byIndex('label', '1')), names(state.byIndex('label', '2'))]).toEqual([['a', 'b'], ['a']]);
    state.set('a', object('', 'a', { three: '3' }));
    expect([names(state.byIndex('label', '1')), state.indexValues('label')]).toEqual([['b'], ['1', '3']]);
    state.delete('b');
    state.delete('b');
    expect([state.indexValues('label'), state.size]).toEqual([['3'], 1]);
  });

  test('An index that is added later has the objects that are there', () => {
    const state = new ObjectIndexes<MemoryObject>();
    state.set('a', object('', 'a', { one: '1' }));
    state.addIndexers(byLabel);
    expect(names(state.byIndex('label', '1'))).toEqual(['a']);
  });

  test('An index has a name of its own, and is asked by it', () => {
    const state = new ObjectIndexes(byLabel);
    expect(() => state.addIndexers(byLabel)).toThrow('there is an index "label" already');
    expect(() => state.byIndex('other', '1')).toThrow('there is no index "other"');
    expect([state.hasIndex('label'), state.hasIndex('other')]).toEqual([true, false]);
  });
});
