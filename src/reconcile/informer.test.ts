import { describe, expect, test } from 'vitest';
import { StatusError, tooManyRequests } from '../machinery/status.ts';
import type { MemoryObject, MemorySource } from './testing/memory-source.ts';
import { setUp } from './testing/observed-informer.ts';

/** At least the first delay with its jitter. */
const retryMs = 800 + 400;

describe('an informer', () => {
  test('An informer tells what is there, is synced then, and tells each change after it', async () => {
    const t = setUp();
    t.source.set('a');
    t.source.set('b', 'x');
    expect(t.informer.hasSynced).toBe(false);
    await t.start();
    expect(t.informer.hasSynced).toBe(true);
    await t.informer.synced();
    t.source.set('c');
    t.source.set('b', 'y');
    t.source.remove('a');
    expect(t.lines).toEqual([
      'initial a@1',
      'initial b=x@2',
      'add c@3',
      'update b=x@2 to b=y@4',
      'delete a@1, then a@5',
    ]);
    expect(t.state()).toEqual([...t.source.objects.values()]);
  });

  test('An informer is synced with an empty resource', async () => {
    const t = setUp();
    await t.start();
    expect([t.informer.hasSynced, t.lines]).toEqual([true, []]);
  });

  test('An informer reads all pages of a list', async () => {
    const t = setUp();
    t.source.pageSize = 2;
    for (const name of ['a', 'b', 'c', 'd', 'e']) t.source.set(name);
    await t.start();
    expect(t.informer.objects.size).toBe(5);
    expect(t.source.watchedAfter).toEqual(['5']);
  });

  test('An informer keeps the objects of its source and no copies', async () => {
    const t = setUp();
    const object = t.source.set('a');
    await t.start();
    const next = t.source.set('b');
    expect(t.informer.objects.get('a')).toBe(object);
    expect(t.informer.lister.get('', 'b')).toBe(next);
  });

  test('Objects that a source gives away have their equal parts in memory once', async () => {
    const t = setUp();
    t.source.givesObjectsAway = true;
    const of = (name: string, app: string): MemoryObject => t.source.set(name, '', { labels: { app } });
    const first = of('a', 'web');
    of('b', 'web');
    await t.start();
    of('c', 'web');
    of('d', 'db');
    of('b', 'web');
    const labels = ['a', 'b', 'c', 'd'].map((name) => t.informer.objects.get(name)?.labels);
    expect(labels).toEqual([{ app: 'web' }, { app: 'web' }, { app: 'web' }, { app: 'db' }]);
    expect(labels.map((each) => each === first.labels)).toEqual([true, true, true, false]);
    expect(t.lines.at(-1)).toBe('update b@2 to b@5');
  });

  test('An informer stops: the watch is closed, no timer is left, and nothing more is told', async () => {
    const t = setUp({ resyncMs: 1000 });
    await t.start();
    await t.informer.stop();
    t.source.set('a');
    expect([t.source.openWatches, t.clock.pending, t.lines]).toEqual([0, 0, []]);
  });

  test('An informer stops while it waits for its next attempt', async () => {
    const t = setUp();
    t.source.isAway = true;
    await t.start();
    expect(t.clock.pending).toBe(1);
    await t.informer.stop();
    expect(t.clock.pending).toBe(0);
  });
});

describe('an informer whose watch ends', () => {
  interface Row {
    readonly name: string;
    /** What happens while nothing is watched. */
    readonly meanwhile: (source: MemorySource) => void;
    readonly end?: Parameters<MemorySource['endWatches']>[0];
    readonly lists: number;
    readonly lines: readonly string[];
  }

  test.each<Row>([
    {
      name: 'goes on where it ended',
      meanwhile: (source) => source.set('b'),
      lists: 1,
      lines: ['initial a@1', 'add b@2'],
    },
    {
      name: 'because its time is over goes on at once',
      end: {},
      meanwhile: (source) => source.set('b'),
      lists: 1,
      lines: ['initial a@1', 'add b@2'],
    },
    {
      name: 'lists again when it is too late to go on, and tells the differences only',
      meanwhile(source) {
        source.set('b');
        source.compact();
      },
      lists: 2,
      lines: ['initial a@1', 'add b@2'],
    },
    {
      name: 'tells a deletion that it missed with what was known last',
      meanwhile(source) {
        source.set('a', 'x');
        source.remove('a');
        source.compact();
      },
      lists: 2,
      lines: ['initial a@1', 'delete a@1, missed'],
    },
    {
      name: 'tells an object that was made anew in a gap as changed',
      meanwhile(source) {
        source.remove('a');
        source.set('a', 'new');
        source.compact();
      },
      lists: 2,
      lines: ['initial a@1', 'update a@1 to a=new@3'],
    },
    {
      name: 'with 410 lists again',
      end: { error: new StatusError(410, 'Expired', 'too old') },
      meanwhile: (source) => source.set('b'),
      lists: 2,
      lines: ['initial a@1', 'add b@2'],
    },
    {
      name: 'with another answer of the server lists again',
      end: { error: new StatusError(500, 'InternalError', 'no') },
      meanwhile: (source) => source.set('b'),
      lists: 2,
      lines: ['initial a@1', 'add b@2'],
    },
    {
      name: 'with too many requests goes on where it ended',
      end: { error: tooManyRequests('slow down', 1) },
      meanwhile: (source) => source.set('b'),
      lists: 1,
      lines: ['initial a@1', 'add b@2'],
    },
  ])('An informer whose watch ends: $name', async ({ meanwhile, end, lists, lines }) => {
    const t = setUp();
    t.source.set('a');
    await t.start();
    await t.clock.advance(5000);
    t.source.endWatches(end);
    meanwhile(t.source);
    await t.clock.advance(0);
    for (let attempt = 0; attempt < 2; attempt++) await t.clock.advance(2 * retryMs);
    expect(t.source.lists).toHaveLength(lists);
    expect(t.lines).toEqual(lines);
    expect(t.state()).toEqual([...t.source.objects.values()]);
    expect(t.source.openWatches).toBe(1);
  });

  test('An informer whose watch ends goes on at a bookmark, when what came before is forgotten', async () => {
    const t = setUp();
    t.source.set('a');
    await t.start();
    for (let i = 0; i < 10; i++) t.source.passTime();
    t.source.bookmark();
    t.source.compact();
    t.source.endWatches({});
    await t.clock.advance(0);
    expect([t.source.lists.length, t.source.watchedAfter]).toEqual([1, ['1', '11']]);
  });

  test('An informer whose watch ends lists what is not older than it knows', async () => {
    const t = setUp();
    t.source.set('a');
    await t.start();
    t.source.set('a', 'x');
    t.source.endWatches({ error: new StatusError(410, 'Expired', 'too old') });
    await t.clock.advance(0);
    await t.clock.advance(retryMs);
    expect(t.source.lists.map(({ notBefore }) => notBefore)).toEqual([undefined, '2']);
  });
});

describe('an informer whose source fails', () => {
  test('An informer whose source fails tries again after growing delays, which begin anew after a watch', async () => {
    const t = setUp({ retry: { firstMs: 100, maxMs: 300, jitter: 1 } });
    t.source.isAway = true;
    await t.start();
    const at: number[] = [];
    for (let i = 0; i < 1500; i += 50) {
      const before = t.source.lists.length;
      await t.clock.advance(50);
      if (t.source.lists.length > before) at.push(t.clock.now());
    }
    // Half of the jitter: 100 + 50, 200 + 100, 300 + 150, and so on.
    expect(at).toEqual([150, 450, 900, 1350]);
    t.source.isAway = false;
    await t.clock.advance(450);
    expect(t.informer.hasSynced).toBe(true);
    await t.clock.advance(2000);
    const lists = t.source.watchedAfter.length;
    t.source.endWatches();
    await t.clock.advance(0);
    await t.clock.advance(150);
    expect(t.source.watchedAfter).toHaveLength(lists + 1);
  });

  test('An informer whose source fails waits as long as the server asks for', async () => {
    const t = setUp();
    await t.start();
    t.source.bookmark();
    t.source.endWatches({ error: tooManyRequests('slow down', 7) });
    await t.clock.advance(0);
    await t.clock.advance(7399);
    expect(t.source.watchedAfter).toHaveLength(1);
    await t.clock.advance(1);
    expect(t.source.watchedAfter).toHaveLength(2);
  });

  test('An informer does not reopen watches without a delay when they end at once, without an error', async () => {
    const t = setUp();
    await t.start();
    for (let i = 0; i < 5; i++) {
      t.source.endWatches({});
      await t.clock.advance(0);
    }
    expect(t.source.watchedAfter).toHaveLength(1);
  });

  test('An informer whose source fails rejects one waiter for the sync, while others wait', async () => {
    const t = setUp();
    t.source.isAway = true;
    await t.start();
    await expect(t.informer.synced()).rejects.toThrow('the source is away');
    const patient = t.informer.untilSynced(new AbortController().signal);
    t.source.isAway = false;
    await t.clock.advance(retryMs);
    await patient;
    await t.informer.synced();
  });

  test('An informer whose source fails stays synced, with what it knows, when the source is away later', async () => {
    const t = setUp();
    t.source.set('a');
    await t.start();
    t.source.isAway = true;
    t.source.endWatches();
    await t.clock.advance(60_000);
    await t.informer.synced();
    expect([t.informer.hasSynced, t.informer.objects.size, t.lines]).toEqual([true, 1, ['initial a@1']]);
  });

  test('An informer whose source fails reads a list without pages when it expires between them', async () => {
    const t = setUp();
    t.source.pageSize = 1;
    for (const name of ['a', 'b', 'c']) t.source.set(name);
    t.source.onPage = () => {
      t.source.passTime();
      t.source.compact();
    };
    await t.start();
    await t.clock.advance(retryMs);
    expect(t.source.lists.map(({ inPages }) => inPages)).toEqual([true, false]);
    expect([t.informer.hasSynced, t.state().length]).toEqual([true, 3]);
  });

  test('An informer that cannot transform an object is not synced, and says why', async () => {
    let isBroken = true;
    const t = setUp({
      transform(object) {
        if (isBroken && object.name === 'b') throw new Error('cannot be read');
        return object;
      },
    });
    t.source.set('a');
    t.source.set('b');
    await t.start();
    await expect(t.informer.synced()).rejects.toThrow('cannot be read');
    expect([t.informer.hasSynced, t.state()]).toEqual([false, []]);
    expect(t.warnings).toEqual(['an informer lost its source and tries again']);
    isBroken = false;
    await t.clock.advance(retryMs);
    expect(t.state()).toHaveLength(2);
    isBroken = true;
    t.source.set('b', 'x');
    t.source.set('c');
    isBroken = false;
    await t.clock.advance(0);
    await t.clock.advance(retryMs);
    expect(t.state()).toEqual([...t.source.objects.values()]);
  });
});
