import { describe, expect, test, vi } from 'vitest';
import { StorageError } from '../../../storage/storage-error.ts';
import type { ObjectEvent, ObjectWatch } from '../../../storage/objects.ts';
import type { EventEncoder } from '../../representation/watch-events.ts';
import type { Sink } from '../../../server/exchange.ts';
import { WatchPump, type Encoding } from './watch-pump.ts';

const event = (text: string): ObjectEvent => ({ type: text }) as unknown as ObjectEvent;
const encoder: EventEncoder = {
  contentType: '',
  isText: true,
  areMessages: false,
  event: ({ type }) => {
    if ((type as string) === 'broken') throw new Error('cannot be encoded');
    return Buffer.from(`${type} `);
  },
  error: (error) => Buffer.from(`error: ${error.message}`),
};

/** A watch that the test fills, a connection that it opens and closes, and a pump between them. */
function start({
  ahead,
  initialEventsSent,
  timeoutMs = 60_000,
  messages = false,
}: {
  ahead?: Encoding['ahead'];
  initialEventsSent?: () => void;
  timeoutMs?: number;
  messages?: boolean;
} = {}) {
  const waiting: ObjectEvent[][] = [];
  const watch = { ended: undefined as Error | undefined, take: () => waiting.shift() ?? [] };
  let drain = (): void => undefined;
  let closed = (): void => undefined;
  const connection = { written: [] as string[], takes: true, isClosed: false, aborted: false };
  const sink: Sink = {
    write: (bytes) => (connection.written.push(bytes.toString()), connection.takes),
    drained: () => new Promise((resolve) => (drain = resolve)),
    get closed() {
      return connection.isClosed;
    },
    onClose: (listener) => (closed = listener),
    abort: () => (connection.aborted = true),
  };
  const pump = new WatchPump(
    watch as unknown as ObjectWatch,
    { encoder: { ...encoder, areMessages: messages }, sent: () => undefined, initialEventsSent, ahead },
    sink,
    timeoutMs,
  );
  let isOver = false;
  void pump.over.then(
    () => (isOver = true),
    () => undefined,
  );
  return {
    pump,
    connection,
    watch,
    waiting,
    has: (...texts: string[]) => (waiting.push(texts.map(event)), pump.run()),
    drain: async () => (drain(), await Promise.resolve(), await Promise.resolve()),
    goAway: () => ((connection.isClosed = true), closed()),
    isOver: async () => (await new Promise(setImmediate), isOver),
  };
}

describe('events of a watch', () => {
  test('Events of a watch are written as soon as there are some, those that wait together', async () => {
    const { has, connection, isOver } = start();
    has('a');
    has('b', 'c');
    expect(connection.written).toEqual(['a ', 'b c ']);
    expect(await isOver()).toBe(false);
  });

  test('Events of a watch that are messages are written one by one', () => {
    const { has, connection } = start({ messages: true });
    has('a', 'b');
    expect(connection.written).toEqual(['a ', 'b ']);
  });

  test('Events of a watch stay where they are while the connection is full', async () => {
    const { has, connection, waiting, drain } = start();
    connection.takes = false;
    has('a');
    has('b');
    expect([connection.written, waiting.length]).toEqual([['a '], 1]);
    connection.takes = true;
    await drain();
    expect(connection.written).toEqual(['a ', 'b ']);
  });

  test('The end of the initial events is told once it is written', () => {
    const told: string[][] = [];
    const { waiting, pump, connection } = start({ initialEventsSent: () => void told.push([...connection.written]) });
    waiting.push([event('a')], [event('b'), { ...event('end'), initialEventsEnd: true }], [event('c')]);
    pump.run();
    expect(told).toEqual([['a ', 'b end ']]);
  });

  test('Events of a watch that have to be made ready keep their order', async () => {
    const ready: (() => void)[] = [];
    const { has, connection } = start({ ahead: () => new Promise((resolve) => ready.push(resolve)) });
    has('a');
    has('b');
    expect([connection.written, ready.length]).toEqual([[], 1]);
    ready[0]!();
    await vi.waitFor(() => expect(ready).toHaveLength(2));
    ready[1]!();
    await vi.waitFor(() => expect(connection.written).toEqual(['a ', 'b ']));
  });
});

describe('a watch is over', () => {
  test('A watch is over when the client has gone', async () => {
    const { goAway, isOver } = start();
    goAway();
    expect(await isOver()).toBe(true);
  });

  test('A watch is over when its time is up, with what there is', async () => {
    const { waiting, connection, pump } = start({ timeoutMs: 1 });
    waiting.push([event('a')], [event('b')]);
    await pump.over;
    expect(connection.written).toEqual(['a ', 'b ']);
  });

  test.each([
    {
      name: 'that it is too old',
      error: new StorageError('Compacted', 'too old'),
      written: [expect.stringMatching(/^error: /) as string],
    },
    { name: 'nothing, when it was too slow', error: new StorageError('SlowConsumer', 'slow'), written: [] },
  ])('A watch is over when it ends by itself: the client hears $name', async ({ error, written }) => {
    const { watch, pump, connection } = start();
    watch.ended = error;
    pump.run();
    await pump.over;
    expect([connection.written, connection.aborted]).toEqual([written, false]);
  });

  test('A watch is over when it ends while the client takes nothing: the connection is cut', async () => {
    const { has, watch, pump, connection } = start();
    connection.takes = false;
    has('a');
    watch.ended = new StorageError('SlowConsumer', 'slow');
    pump.run();
    await pump.over;
    expect([connection.written, connection.aborted]).toEqual([['a '], true]);
  });

  test('A watch is over when events cannot be made ready: the client hears why', async () => {
    const { has, pump, connection } = start({ ahead: () => Promise.reject(new Error('no')) });
    has('a');
    await pump.over;
    expect(connection.written).toEqual([expect.stringMatching(/^error: /)]);
  });

  test.each([
    { name: 'at once', ahead: undefined },
    { name: 'when they are ready', ahead: () => Promise.resolve() },
  ])('A watch is over when an event cannot be encoded $name: that is an error', async ({ ahead }) => {
    const { has, pump } = start({ ahead });
    has('broken');
    await expect(pump.over).rejects.toThrow('cannot be encoded');
  });
});
