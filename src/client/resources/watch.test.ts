import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { resourceExpired } from '../../machinery/resource-expired.ts';
import { forbidden, serviceUnavailable, tooManyRequests } from '../../machinery/status.ts';
import type { PendingAnswer } from '../requests/sender.ts';
import { ConnectionError } from '../transport/message.ts';
import type { WatchOptions } from './options.ts';
import type { QueryParameters } from './paths.ts';
import { watchEvents } from './watch.ts';

const event = (type: string, resourceVersion: string, annotations = {}): string =>
  `${JSON.stringify({ type, object: { metadata: { name: `o${resourceVersion}`, resourceVersion, annotations } } })}\n`;
const initialEnd = (version: string): string => event('BOOKMARK', version, { 'k8s.io/initial-events-end': 'true' });
const errorEvent = (): string =>
  `${JSON.stringify({ type: 'ERROR', object: resourceExpired('too old').toStatus() })}\n`;

type Connection = Error | readonly (string | Error)[];

function answer(parts: readonly (string | Error)[]): PendingAnswer {
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const part of parts) {
      if (part instanceof Error) throw part;
      yield Buffer.from(part);
    }
  }
  return { status: 200, headers: new Map(), body: body(), end: () => undefined, release: () => undefined };
}

/** Reads a watch over these connections until it ends with an error, or has nothing more to come. */
async function follow(connections: readonly Connection[], options: WatchOptions = {}) {
  const clock = new FakeClock();
  const opened: QueryParameters[] = [];
  const times: number[] = [];
  const stop = new Error('no more connections');
  const watch = watchEvents(
    {
      clock,
      random: () => 0,
      open(parameters) {
        const next = connections[opened.length];
        if (next === undefined) return Promise.reject(stop);
        opened.push(parameters);
        times.push(clock.now());
        return next instanceof Error ? Promise.reject(next) : Promise.resolve(answer(next));
      },
    },
    { resourceVersion: '1', ...options },
  );
  const events: string[] = [];
  let error: unknown;
  const reading = (async () => {
    try {
      for await (const { type, object } of watch) events.push(`${type} ${object.metadata!.resourceVersion}`);
    } catch (failure) {
      error = failure === stop ? undefined : failure;
    }
  })();
  await clock.advance(0);
  await clock.advance(120_000);
  await reading;
  return { events, error, times, versions: opened.map(({ resourceVersion }) => resourceVersion), opened };
}

describe('a watch', () => {
  const lost = new ConnectionError('lost');

  test.each<{ name: string; connections: Connection[]; events: string[]; versions: string[] }>([
    {
      name: 'goes on at the last version when a connection ends',
      connections: [[event('ADDED', '2'), event('MODIFIED', '3')], [event('DELETED', '4')]],
      events: ['ADDED 2', 'MODIFIED 3', 'DELETED 4'],
      versions: ['1', '3'],
    },
    {
      name: 'goes on at the last bookmark, which it does not yield',
      connections: [[event('ADDED', '2'), event('BOOKMARK', '9')], [event('ADDED', '10')]],
      events: ['ADDED 2', 'ADDED 10'],
      versions: ['1', '9'],
    },
    {
      name: 'goes on when a connection breaks in the middle of an event',
      connections: [[event('ADDED', '2'), event('ADDED', '3').slice(0, 20), lost], [event('ADDED', '3')]],
      events: ['ADDED 2', 'ADDED 3'],
      versions: ['1', '2'],
    },
  ])('A watch: $name', async ({ connections, events, versions }) => {
    expect(await follow(connections)).toMatchObject({ events, versions, error: undefined });
  });

  test('A watch tries again later and later while the server is away, and no sooner than it says', async () => {
    const away = [serviceUnavailable('away'), lost, tooManyRequests('busy', 60)];
    const { times, versions } = await follow([...away, [event('ADDED', '2')]]);
    expect(times).toEqual([0, 800, 2400, 62_400]);
    expect(versions).toEqual(['1', '1', '1', '1']);
  });

  test('A watch does not open connections in a loop when each ends at once without an event', async () => {
    const { times } = await follow([[], [], []]);
    expect(times).toEqual([0, 800, 2400]);
  });

  test.each<{ name: string; connection: Connection; code: number }>([
    { name: '410 at the beginning', connection: resourceExpired('too old'), code: 410 },
    { name: '410 as an event', connection: [event('ADDED', '2'), errorEvent()], code: 410 },
    { name: '403', connection: forbidden({ group: '', resource: 'pods' }, '', 'no'), code: 403 },
  ])('A watch ends with $name', async ({ connection, code }) => {
    const { error, versions } = await follow([connection]);
    expect(error).toMatchObject({ code });
    expect(versions).toEqual(['1']);
  });

  test('A watch yields bookmarks where they are asked for', async () => {
    const { events } = await follow([[event('BOOKMARK', '9')]], { bookmarks: true });
    expect(events).toEqual(['BOOKMARK 9']);
  });
});

describe('a watch with initial events', () => {
  const options = { sendInitialEvents: true, resourceVersion: '' };

  test('A watch with initial events goes on after their bookmark without asking for them again', async () => {
    const first = [event('ADDED', '7'), event('ADDED', '3'), initialEnd('8')];
    const { events, opened } = await follow([first, [event('ADDED', '9')]], options);
    expect(events).toEqual(['ADDED 7', 'ADDED 3', 'BOOKMARK 8', 'ADDED 9']);
    expect(opened.map(({ sendInitialEvents, resourceVersion }) => [sendInitialEvents, resourceVersion])).toEqual([
      [true, ''],
      [undefined, '8'],
    ]);
  });

  test('A watch with initial events ends with an error when it breaks before they are whole', async () => {
    const lost = new ConnectionError('lost');
    expect((await follow([[event('ADDED', '7'), lost]], options)).error).toBe(lost);
  });
});
