/** What a write can rest on beside its own key, and what else it can write. */
import { describe, expect, test } from 'vitest';
import type { WriteGuard } from '../../interface.ts';
import { bytes, textOf } from './support.ts';
import type { ContractFixture } from './support.ts';

export function describeGuards(fixture: ContractFixture): void {
  describe('guards on other keys', () => {
    const key = (prefix: string): string => `${prefix}own`;

    /** Others under `<prefix>others/`: one that exists at the returned revision, one that was deleted before it. */
    const prepare = async (): Promise<{ prefix: string; others: string; revision: number }> => {
      const prefix = fixture.prefix();
      const others = `${prefix}others/`;
      const gone = await fixture.store.create(`${others}gone`, bytes('x'));
      await fixture.store.create(`${others}kept`, bytes('x'));
      await fixture.store.delete(`${others}gone`, gone.revision);
      return { prefix, others, revision: await fixture.store.currentRevision() };
    };

    const changes = [
      { name: 'nothing', breaks: false, make: () => Promise.resolve() },
      { name: 'a new key', breaks: true, make: (others: string) => fixture.store.create(`${others}new`, bytes('y')) },
      {
        name: 'another value',
        breaks: true,
        make: async (others: string) =>
          fixture.store.update(`${others}kept`, bytes('y'), (await fixture.store.get(`${others}kept`)).kv!.modRevision),
      },
      {
        name: 'a key that is made anew',
        breaks: true,
        make: (others: string) => fixture.store.create(`${others}gone`, bytes('y')),
      },
      {
        name: 'a deletion',
        breaks: false,
        make: async (others: string) =>
          fixture.store.delete(`${others}kept`, (await fixture.store.get(`${others}kept`)).kv!.modRevision),
      },
      {
        name: 'a key beside the prefix',
        breaks: false,
        make: (others: string) => fixture.store.create(`${others.slice(0, -1)}0`, bytes('y')),
      },
    ];

    test.each(changes)('A create after $name under the prefix', async ({ breaks, make }) => {
      const { prefix, others, revision } = await prepare();
      await make(others);
      const before = await fixture.store.currentRevision();
      const create = fixture.store.create(key(prefix), bytes('mine'), {
        guards: [{ prefix: others, unchangedSince: revision }],
      });
      if (breaks)
        await expect(create).rejects.toMatchObject({ name: 'StorageError', reason: 'Conflict', key: key(prefix) });
      else expect(await create).toEqual({ revision: before + 1 });
      expect([textOf((await fixture.store.get(key(prefix))).kv), await fixture.store.currentRevision()]).toEqual(
        breaks ? [undefined, before] : ['mine', before + 1],
      );
    });

    test.each(changes)('An update after $name under the prefix', async ({ breaks, make }) => {
      const { prefix, others, revision } = await prepare();
      const created = await fixture.store.create(key(prefix), bytes('first'));
      await make(others);
      const result = await fixture.store.update(key(prefix), bytes('mine'), created.revision, {
        guards: [{ prefix: others, unchangedSince: revision }],
      });
      if (breaks)
        expect(result).toMatchObject({
          applied: false,
          current: { value: bytes('first'), modRevision: created.revision },
        });
      expect([result.applied, textOf((await fixture.store.get(key(prefix))).kv)]).toEqual(
        breaks ? [false, 'first'] : [true, 'mine'],
      );
    });

    test('All of several have to hold, and one may be a single key that does not exist', async () => {
      const { prefix, others, revision } = await prepare();
      const single: WriteGuard = { prefix: `${prefix}single`, unchangedSince: 0 };
      const guards = [single, { prefix: others, unchangedSince: revision }];
      const created = await fixture.store.create(key(prefix), bytes('1'), { guards });
      await fixture.store.create(single.prefix, bytes('x'));
      expect(await fixture.store.update(key(prefix), bytes('2'), created.revision, { guards })).toMatchObject({
        applied: false,
        current: { modRevision: created.revision },
      });
    });

    test('A key that exists is told before a guard that fails', async () => {
      const { prefix, others, revision } = await prepare();
      await fixture.store.create(key(prefix), bytes('first'));
      await fixture.store.create(`${others}new`, bytes('y'));
      await expect(
        fixture.store.create(key(prefix), bytes('mine'), { guards: [{ prefix: others, unchangedSince: revision }] }),
      ).rejects.toMatchObject({ reason: 'KeyExists' });
    });

    test('Of two writers that each rest on what the other writes, one is refused', async () => {
      for (let round = 0; round < 20; round++) {
        const prefix = fixture.prefix();
        const revision = await fixture.store.currentRevision();
        const writes = ['a', 'b'].map((name, i) =>
          fixture.store.create(`${prefix}${name}`, bytes(name), {
            guards: [{ prefix: `${prefix}${'ba'[i]!}`, unchangedSince: revision }],
          }),
        );
        const results = await Promise.allSettled(writes);
        expect(results.filter(({ status }) => status === 'rejected')).toMatchObject([
          { reason: { reason: 'Conflict' } },
        ]);
      }
    });
  });

  describe('a companion', () => {
    test.each([
      { name: 'is created with a key that is created', own: 0, companion: 0, applied: true },
      { name: 'is not written when the own key has another version', own: 1, companion: 0, applied: false },
      { name: 'that has another version keeps the own key from being written', own: 0, companion: 1, applied: false },
    ])('A companion: $name', async ({ own, companion, applied }) => {
      const prefix = fixture.prefix();
      const before = await fixture.store.currentRevision();
      const result = await fixture.store.update(`${prefix}own`, bytes('1'), own, {
        companion: { key: `${prefix}companion`, value: bytes('2'), expected: companion },
      });
      expect(result).toMatchObject(applied ? { applied } : { applied, revision: before, current: undefined });
      expect((await fixture.store.list(prefix)).kvs.map(textOf)).toEqual(applied ? ['2', '1'] : []);
    });

    test('A companion and its key change at one moment', async () => {
      const prefix = fixture.prefix();
      const [own, companion] = [`${prefix}own`, `${prefix}companion`];
      const first = await fixture.store.create(own, bytes('1'), {
        companion: { key: companion, value: bytes('1'), expected: 0 },
      });
      const created = (await fixture.store.get(companion)).kv!;
      const log = fixture.watch(prefix, { after: first.revision });
      const second = await fixture.store.update(own, bytes('2'), first.revision, {
        companion: { key: companion, value: bytes('2'), expected: created.modRevision },
      });
      const { kvs } = await fixture.store.list(prefix);
      expect(kvs.map(textOf)).toEqual(['2', '2']);
      const revisions = kvs.map(({ modRevision }) => modRevision);
      expect(second).toEqual({ applied: true, revision: revisions[1] });
      expect([revisions[1]! - 1, revisions[1]]).toContain(revisions[0]);
      expect(await fixture.store.currentRevision()).toBe(revisions[1]);
      const events = await log.untilEvents(2);
      expect(events.map((event) => [event.key, event.value.toString()])).toEqual(
        expect.arrayContaining([
          [own, '2'],
          [companion, '2'],
        ]),
      );
    });

    test('A companion that has another version refuses a create', async () => {
      const prefix = fixture.prefix();
      await fixture.store.create(`${prefix}companion`, bytes('x'));
      const create = fixture.store.create(`${prefix}own`, bytes('1'), {
        companion: { key: `${prefix}companion`, value: bytes('2'), expected: 0 },
      });
      await expect(create).rejects.toMatchObject({ reason: 'Conflict' });
      expect((await fixture.store.list(prefix)).kvs.map(textOf)).toEqual(['x']);
    });
  });
}
