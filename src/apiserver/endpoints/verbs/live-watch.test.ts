/** A watch of config maps that is open: its events, its bookmarks, and its end. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FakeClock } from '../../../base/testing/fake-clock.ts';
import { type EndpointsOptions, type EndpointsServer, type Json, startEndpoints } from '../testing/endpoints-server.ts';
import { openWatch, type OpenWatch, type WatchEvent } from '../testing/open-watch.ts';

const collection = '/api/v1/namespaces/x/configmaps';
const initialEventsEnd = 'k8s.io/initial-events-end';

interface Given {
  readonly query?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly options?: EndpointsOptions;
  /** Names of config maps that are there before. */
  readonly names?: readonly string[];
}

/** Each watch of a test ends with the test. */
async function start({ query = '', headers = [], options = {}, names = [] }: Given = {}) {
  const server = await startEndpoints([], options);
  for (const name of names) await write(server, 'create', name);
  const watch = await openWatch(server, `${collection}?watch=true${query}`, headers);
  onTestFinished(() => watch.leave());
  return { server, watch };
}

type Change = 'create' | 'label' | 'unlabel' | 'delete';

/** The config map as it is then. */
async function write(server: EndpointsServer, change: Change, name: string, namespace = 'x'): Promise<Json> {
  const path = collection.replace('/x/', `/${namespace}/`);
  if (change === 'create') return server.done('POST', path, { metadata: { name } });
  if (change === 'delete') return server.done('DELETE', `${path}/${name}`);
  const labels = { app: change === 'label' ? 'web' : null };
  return server.done('PATCH', `${path}/${name}`, { metadata: { labels } }, 'application/merge-patch+json');
}

const metaOf = ({ object }: WatchEvent): Json => object['metadata'] as Json;
const shown = (event: WatchEvent): string => `${event.type} ${String(metaOf(event)['name'])}`;
const versionOf = (object: Json): number => Number((object['metadata'] as Json)['resourceVersion']);

describe('an open watch is told', () => {
  test.each<{ name: string; query?: string; changes: readonly [Change, string, string?][]; events: readonly string[] }>(
    [
      {
        name: 'of each change in order',
        changes: [
          ['create', 'a'],
          ['label', 'a'],
          ['delete', 'a'],
          ['create', 'b'],
        ],
        events: ['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED b'],
      },
      {
        name: 'of nothing in other namespaces',
        changes: [
          ['create', 'a', 'y'],
          ['create', 'b'],
        ],
        events: ['ADDED b'],
      },
      {
        name: 'of what comes into its selection and leaves it',
        query: '&labelSelector=app%3Dweb',
        changes: [
          ['create', 'a'],
          ['create', 'b'],
          ['label', 'a'],
          ['unlabel', 'a'],
          ['label', 'b'],
        ],
        events: ['ADDED a', 'DELETED a', 'ADDED b'],
      },
      {
        name: 'of the object of a name alone',
        query: '&fieldSelector=metadata.name%3Db',
        changes: [
          ['create', 'a'],
          ['create', 'b'],
          ['delete', 'a'],
          ['delete', 'b'],
        ],
        events: ['ADDED b', 'DELETED b'],
      },
    ],
  )('An open watch is told: $name', async ({ query = '', changes, events }) => {
    const { server, watch } = await start({ query });
    for (const change of changes) await write(server, ...change);
    expect((await watch.next(events.length)).map(shown)).toEqual(events);
  });

  test('An open watch is told of a deletion at its version, with the object as it was', async () => {
    const { server, watch } = await start();
    const created = await write(server, 'create', 'a');
    await write(server, 'label', 'a');
    await write(server, 'delete', 'a');
    const [, modified, deleted] = await watch.next(3);
    expect(metaOf(deleted!)).toMatchObject({ name: 'a', labels: { app: 'web' } });
    expect(versionOf(deleted!.object)).toBeGreaterThan(versionOf(modified!.object));
    expect(versionOf(modified!.object)).toBeGreaterThan(versionOf(created));
  });

  test('What happened while it took nothing, when it takes again', async () => {
    const { server, watch } = await start();
    watch.takes = false;
    await write(server, 'create', 'a');
    await watch.next();
    for (const name of ['b', 'c']) await write(server, 'create', name);
    expect(watch.events.map(shown)).toEqual(['ADDED a']);
    watch.takeAll();
    expect((await watch.next(2)).map(shown)).toEqual(['ADDED b', 'ADDED c']);
  });

  test('An open watch is told in rows of a table, the first one with the columns', async () => {
    const accept = ['accept', 'application/json;as=Table;v=v1;g=meta.k8s.io'] as const;
    const { server, watch } = await start({ headers: [accept] });
    for (const name of ['a', 'b']) await write(server, 'create', name);
    const tables = (await watch.next(2)).map(({ type, object }) => [
      type,
      (object['columnDefinitions'] as unknown[] | null) !== null,
      (object['rows'] as { cells: unknown[] }[]).map(({ cells }) => cells[0]),
    ]);
    expect(tables).toEqual([
      ['ADDED', true, ['a']],
      ['ADDED', false, ['b']],
    ]);
  });

  test('The metrics are told the bytes of each event of an open watch', async () => {
    const sent: number[] = [];
    const told: string[] = [];
    const watchEvents: EndpointsOptions['watchEvents'] = (...resource) => {
      told.push(resource.join(' '));
      return (bytes) => sent.push(bytes);
    };
    const { server, watch } = await start({ options: { watchEvents } });
    for (const name of ['a', 'b']) await write(server, 'create', name);
    await watch.next(2);
    expect(told).toEqual([' v1 ConfigMap']);
    expect(sent.length).toBe(2);
    expect(sent[0]! + sent[1]!).toBe(Buffer.concat(watch.written).length);
  });
});

const bookmarks = '&allowWatchBookmarks=true';
const isBookmark = ({ type }: WatchEvent): boolean => type === 'BOOKMARK';

describe('a bookmark', () => {
  const withWatchList: EndpointsOptions = { featureEnabled: (gate) => gate === 'WatchList' };
  const list = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';

  test.each<{ name: string; query: string; options?: EndpointsOptions; events: readonly string[]; isEnd?: boolean }>([
    {
      name: 'ends the initial events of a watch that asks for both',
      query: list + bookmarks,
      options: withWatchList,
      events: ['ADDED a', 'ADDED b', 'BOOKMARK undefined'],
      isEnd: true,
    },
    {
      name: 'ends the initial events of a watch without a version that asks for bookmarks',
      query: bookmarks,
      events: ['ADDED a', 'ADDED b', 'BOOKMARK undefined'],
      isEnd: true,
    },
    {
      name: 'is not sent to a watch that asks for initial events alone',
      query: list,
      options: withWatchList,
      events: ['ADDED a', 'ADDED b'],
    },
  ])('A bookmark: $name', async ({ query, options = {}, events, isEnd = false }) => {
    const { server, watch } = await start({ query, options, names: ['a', 'b'] });
    await write(server, 'create', 'c');
    const seen = await watch.next(events.length + 1);
    expect(seen.map(shown)).toEqual([...events, 'ADDED c']);
    const annotations = seen
      .filter(isBookmark)
      .map((event) => (metaOf(event)['annotations'] as Json)[initialEventsEnd]);
    expect(annotations).toEqual(isEnd ? ['true'] : []);
  });

  test('A bookmark behind initial events has the version up to which they are', async () => {
    const { server, watch } = await start({ query: list + bookmarks, options: withWatchList });
    const created = await write(server, 'create', 'a');
    const [end] = await watch.next(2);
    expect(versionOf(end!.object)).toBeLessThan(versionOf(created));
    expect(end!.object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
  });

  /** A watch from the last version on, on a clock that the test moves. */
  async function startQuiet(query = bookmarks) {
    const clock = new FakeClock();
    const server = await startEndpoints([], { clock });
    const { metadata } = await write(server, 'create', 'a');
    const version = (metadata as Json)['resourceVersion'] as string;
    const watch = await openWatch(server, `${collection}?watch=true&resourceVersion=${version}${query}`);
    onTestFinished(() => watch.leave());
    return { clock, server, watch, version: Number(version) };
  }
  const minute = 61_000;

  test('A bookmark comes about once a minute with the version that the watch has reached', async () => {
    const { clock, server, watch, version } = await startQuiet();
    await write(server, 'create', 'elsewhere', 'y');
    await clock.advance(59_000);
    expect(watch.events).toEqual([]);
    await clock.advance(2_000);
    const [bookmark] = await watch.next();
    expect(bookmark).toMatchObject({ type: 'BOOKMARK', object: { kind: 'ConfigMap', apiVersion: 'v1' } });
    expect(metaOf(bookmark!)).toEqual({ resourceVersion: String(version + 1), creationTimestamp: null });
  });

  test('A bookmark does not come again while nothing changes', async () => {
    const { clock, server, watch } = await startQuiet();
    await write(server, 'create', 'elsewhere', 'y');
    for (let i = 0; i < 3; i++) await clock.advance(minute);
    expect(watch.events.map(({ type }) => type)).toEqual(['BOOKMARK']);
    await write(server, 'delete', 'elsewhere', 'y');
    await clock.advance(minute);
    expect(watch.events.map(({ type }) => type)).toEqual(['BOOKMARK', 'BOOKMARK']);
  });

  test('A bookmark comes shortly before the end that the client asked for', async () => {
    const { clock, server, watch, version } = await startQuiet(`${bookmarks}&timeoutSeconds=30`);
    await write(server, 'create', 'elsewhere', 'y');
    await clock.advance(27_999);
    expect(watch.events).toEqual([]);
    await clock.advance(2_000);
    expect((await watch.next()).map(({ object }) => versionOf(object))).toEqual([version + 1]);
  });

  test('A bookmark before the end does not come where the watch is where it began', async () => {
    const { clock, watch } = await startQuiet(`${bookmarks}&timeoutSeconds=30`);
    await clock.advance(29_999);
    expect(watch.events).toEqual([]);
  });

  test('A bookmark before its end leaves no timer behind when the watch is closed', async () => {
    const { clock, watch } = await startQuiet(`${bookmarks}&timeoutSeconds=30`);
    const open = clock.pending;
    watch.leave();
    await clock.advance(0);
    expect(clock.pending).toBeLessThan(open);
    await clock.advance(29_999);
    expect(watch.events).toEqual([]);
  });

  test('A bookmark does not come to a watch that did not ask for bookmarks', async () => {
    const { clock, server, watch } = await startQuiet('');
    await write(server, 'create', 'elsewhere', 'y');
    await clock.advance(minute);
    expect(watch.events).toEqual([]);
  });

  test('A bookmark does not come to a watch that has not taken everything', async () => {
    const { clock, server, watch } = await startQuiet();
    watch.takes = false;
    for (const name of ['b', 'c']) await write(server, 'create', name);
    await watch.next();
    await clock.advance(minute);
    watch.takeAll();
    expect((await watch.next()).map(shown)).toEqual(['ADDED c']);
    expect(watch.events.filter(isBookmark)).toEqual([]);
  });
});

describe('an open watch ends', () => {
  /** Whether the stream is over once all that is due has run. */
  const isOver = async (watch: OpenWatch): Promise<boolean> => {
    let over = false;
    void watch.ended.then(() => (over = true));
    await new Promise(setImmediate);
    return over;
  };

  test.each([
    { name: 'after the time that the client asks for', query: '&timeoutSeconds=5', lastsMs: 5000 },
    { name: 'after a time between the minimum and its double', query: '', lastsMs: 2_700_000 },
    { name: 'after such a time where the client asks for 0 seconds', query: '&timeoutSeconds=0', lastsMs: 2_700_000 },
    { name: 'after 24 days at the latest', query: '&timeoutSeconds=10000000', lastsMs: 2 ** 31 - 1 },
  ])('An open watch ends: $name', async ({ query, lastsMs }) => {
    const server = await startEndpoints();
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
      random.mockRestore();
    });
    const watch = await openWatch(server, `${collection}?watch=true${query}`);
    vi.advanceTimersByTime(lastsMs - 1);
    expect(await isOver(watch)).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await isOver(watch)).toBe(true);
  });

  test('An open watch ends when the client leaves, and is told of nothing more', async () => {
    const { server, watch } = await start();
    await write(server, 'create', 'a');
    await watch.next();
    watch.leave();
    await watch.ended;
    await write(server, 'create', 'b');
    expect(watch.events.map(shown)).toEqual(['ADDED a']);
  });

  test('An open watch ends when its storage is closed, without an error', async () => {
    const { server, watch } = await start({ names: ['a'] });
    await watch.next();
    await server.registry.storeOf('', 'configmaps')!.close();
    await watch.ended;
    expect(watch.events.map(shown)).toEqual(['ADDED a']);
  });
});
