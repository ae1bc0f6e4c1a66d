import { describe, expect, test } from 'vitest';
import type { ObjectAttributes, ObjectList, ObjectListOptions, Selection } from '../objects.ts';
import { labelled } from '../testing/objects/support.ts';
import { cacheUnderTest, keyOf, mostRecent, prefix } from './testing/support.ts';

test('Lists by an indexed field read only the objects with its value, and give the same answer', async () => {
  const t = await cacheUnderTest();
  const indexed = t.open({ indexedFields: ['spec.nodeName'] });
  for (let index = 0; index < 60; index++)
    await t.put(`p${index}`, { namespace: `ns${index % 3}`, fields: { 'spec.nodeName': `n${index % 4}` } });
  await t.put('p1', { namespace: 'ns1', fields: { 'spec.nodeName': 'n3' } });
  const options = {
    version: mostRecent,
    selection: { namespace: 'ns1', fieldEquals: new Map([['spec.nodeName', 'n3']]) },
    after: `${prefix}ns1/p1`,
  };
  const keys = async (storage: typeof indexed): Promise<string[]> =>
    (await storage.list(options)).objects.map(({ key }) => key);
  expect(await keys(indexed)).toEqual(await keys(t.cache));
  expect(await keys(indexed)).toHaveLength(5);
});

describe('lists by a label', () => {
  const list = async (
    storage: { list: (options: ObjectListOptions) => Promise<ObjectList> },
    selection: Selection,
  ): Promise<string[]> =>
    (await storage.list({ version: mostRecent, selection })).objects.map(({ key, revision }) => `${key} @${revision}`);

  test.each([
    { name: 'of a namespace', selection: labelled('a7', { namespace: 'ns1' }) },
    { name: 'of all namespaces', selection: labelled('a7') },
    { name: 'that no object has', selection: labelled('a99') },
    { name: 'of one object', selection: labelled('a7', { namespace: 'ns1', name: 'p7' }) },
    {
      name: 'with more than the index knows',
      selection: {
        ...labelled('a7'),
        matches: ({ labels, name }: ObjectAttributes) => labels.get('app') === 'a7' && name !== 'p7',
      },
    },
  ])('Lists by a label: $name are as without an index, before and after changes', async ({ selection }) => {
    const t = await cacheUnderTest();
    for (let index = 0; index < 60; index++)
      await t.put(`p${index}`, { namespace: `ns${index % 3}`, labels: { app: `a${index % 10}`, own: `${index}` } });
    const { labelEquals: _, ...unindexed } = selection;
    expect(await list(t.cache, selection)).toEqual(await list(t.cache, unindexed));
    await t.put('p7', { namespace: 'ns1', labels: { app: 'a7', more: 'x' } });
    await t.put('p17', { namespace: 'ns2', labels: { app: 'a8' } });
    await t.put('p18', { namespace: 'ns0', labels: { app: 'a7' } });
    await t.put('p27', { namespace: 'ns0' });
    await t.store.delete(keyOf('p37', 'ns1'), (await t.store.get(keyOf('p37', 'ns1'))).kv!.modRevision);
    expect(await list(t.cache, selection)).toEqual(await list(t.cache, unindexed));
  });

  test('Lists by a label look at what has it, and at all in order where those are many', async () => {
    const t = await cacheUnderTest();
    for (let index = 0; index < 40; index++)
      await t.put(`p${index}`, { labels: { app: index % 20 === 0 ? 'few' : 'many' } });
    await list(t.cache, labelled('few'));
    await list(t.cache, labelled('many'));
    expect([...t.cache.counts.cache]).toEqual([
      ['l:', { lists: 1, fetched: 2, returned: 2 }],
      ['', { lists: 1, fetched: 40, returned: 38 }],
    ]);
  });
});
