import { expect, test } from 'vitest';
import { requirementsOfMap } from '../../machinery/label-selector.ts';
import { testCluster } from '../testing/cluster.ts';
import { pod } from '../testing/objects.ts';

const query = (app: string, withTerminating = true) => ({
  namespace: 'default',
  selector: requirementsOfMap({ app }),
  withTerminating,
});

test('Counts are what a look at all pods would find, also after pods came, changed and went', () => {
  const { cluster, counts } = testCluster([{ name: 'a' }, { name: 'b' }]);
  const shown = (withTerminating: boolean): Record<string, number> =>
    Object.fromEntries([...counts.of(query('web', withTerminating))].map(([{ name }, count]) => [name, count]));
  const add = (name: string, node: string, more = {}): void =>
    cluster.setPod(pod({ name, node, labels: { app: 'web' }, ...more }));
  add('1', 'a');
  expect(shown(true)).toEqual({ a: 1 });
  add('2', 'a');
  add('3', 'b');
  add('4', 'b', { namespace: 'other' });
  expect([shown(true), shown(false)]).toEqual([
    { a: 2, b: 1 },
    { a: 2, b: 1 },
  ]);
  add('3', 'b', { metadata: { name: '3', deletionTimestamp: '2026-01-01T00:00:00Z', labels: { app: 'web' } } });
  cluster.setPod(pod({ name: '2', node: 'a', labels: { app: 'db' } }));
  expect([shown(true), shown(false)]).toEqual([{ a: 1, b: 1 }, { a: 1 }]);
  cluster.removePod('default/1');
  expect(shown(true)).toEqual({ b: 1 });
});

test('No more than 256 selectors are kept', () => {
  const { counts } = testCluster([]);
  for (let i = 0; i < 300; i++) counts.of(query(`app-${i}`));
  expect(counts.size).toBe(256);
});
