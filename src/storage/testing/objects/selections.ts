import { describe, expect, test } from 'vitest';
import { labelled } from './support.ts';
import type { Fixture, Watched } from './support.ts';

export function describeSelections(fixture: { readonly current: Fixture }): void {
  describe('a selection', () => {
    test('A selection by labels: what enters it is added, what leaves it is deleted with what it was', async () => {
      const f = fixture.current;
      const start = await f.create({ name: 'start' });
      const watched = await f.watch({ after: start.revision, selection: labelled('x') });
      const entered = await f.create({ name: 'a', labels: { app: 'x' }, data: '1' });
      const changed = await f.update({ name: 'a', labels: { app: 'x' }, data: '2' });
      const left = await f.update({ name: 'a', labels: { app: 'y' }, data: '3' });
      await f.update({ name: 'a', labels: { app: 'y' }, data: '4' });
      const back = await f.update({ name: 'a', labels: { app: 'x' }, data: '5' });
      const removed = await f.remove('a');
      expect(await watched.lineCount(5)).toEqual([
        `ADDED a @${entered.revision}`,
        `MODIFIED a @${changed.revision}`,
        `DELETED a @${left.revision}`,
        `ADDED a @${back.revision}`,
        `DELETED a @${removed}`,
      ]);
      expect(
        watched.events.map(({ object }) => (JSON.parse(object!.bytes.toString()) as { data: string }).data),
      ).toEqual(['1', '2', '2', '5', '5']);
    });

    test('A selection by a field: an object is seen to leave one value and to enter the other', async () => {
      const f = fixture.current;
      const start = await f.create({ name: 'start' });
      const on = (node: string): { after: number; selection: { fieldEquals: Map<string, string> } } => ({
        after: start.revision,
        selection: { fieldEquals: new Map([['spec.nodeName', node]]) },
      });
      const [one, two] = [await f.watch(on('n1')), await f.watch(on('n2'))];
      await f.create({ name: 'a' });
      const bound = await f.update({ name: 'a', fields: { 'spec.nodeName': 'n1' } });
      const moved = await f.update({ name: 'a', fields: { 'spec.nodeName': 'n2' } });
      const removed = await f.remove('a');
      expect(await one.lineCount(2)).toEqual([`ADDED a @${bound.revision}`, `DELETED a @${moved.revision}`]);
      expect(await two.lineCount(2)).toEqual([`ADDED a @${moved.revision}`, `DELETED a @${removed}`]);
    });

    test('A selection by a field in a namespace: the other namespaces are not seen', async () => {
      const f = fixture.current;
      const { revision } = await f.create({ name: 'start' });
      const selection = { namespace: 'default', fieldEquals: new Map([['spec.nodeName', 'n1']]) };
      const watched = await f.watch({ after: revision, selection });
      await f.create({ namespace: 'other', name: 'a', fields: { 'spec.nodeName': 'n1' } });
      const seen = await f.create({ name: 'b', fields: { 'spec.nodeName': 'n1' } });
      expect(await watched.lineCount(1)).toEqual([`ADDED b @${seen.revision}`]);
    });

    test('A selection by namespace and name: only those are seen', async () => {
      const f = fixture.current;
      const { revision } = await f.create({ name: 'start' });
      const watches: Watched[] = [];
      for (const selection of [
        {},
        { namespace: 'default' },
        { namespace: 'default', name: 'a' },
        { name: 'a' },
        { namespace: 'none' },
      ])
        watches.push(await f.watch({ after: revision, selection }));
      await f.create({ name: 'a' });
      await f.create({ name: 'ab' });
      await f.create({ namespace: 'other', name: 'a' });
      const last = await f.create({ name: 'z' });
      // Each watch is delivered for itself, in no order among them.
      await watches[0]!.reach(last.revision);
      await watches[1]!.reach(last.revision);
      await watches[2]!.lineCount(1);
      await watches[3]!.lineCount(2);
      const seen = watches.map(({ events }) =>
        events.map(({ object }) => `${object!.attributes.namespace}/${object!.attributes.name}`),
      );
      expect(seen).toEqual([
        ['default/a', 'default/ab', 'other/a', 'default/z'],
        ['default/a', 'default/ab', 'default/z'],
        ['default/a'],
        ['default/a', 'other/a'],
        [],
      ]);
    });
  });
}
