import { once } from 'node:events';
import { Duplex, duplexPair, PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Sink } from '../../server/exchange.ts';
import { relayed } from './relay-upgraded.ts';
import { throttlingOf } from './throttle.ts';

class Client {
  readonly got: string[] = [];
  readonly #listeners: (() => void)[] = [];
  readonly sink: Sink = {
    write: (chunk) => this.got.push(chunk.toString()) > 0,
    drained: () => Promise.resolve(),
    closed: false,
    onClose: (listener) => void this.#listeners.push(listener),
    abort: () => void this.got.push('(abort)'),
  };

  leave(): void {
    this.#listeners.forEach((listener) => listener());
  }
}

describe.each([{ bytesPerSecond: 0 }, { bytesPerSecond: 1_000_000 }])(
  'connections that are handed to each other, with $bytesPerSecond bytes per second',
  ({ bytesPerSecond }) => {
    const throttling = throttlingOf(bytesPerSecond);

    test('What the other side has said is handed on before the end', async () => {
      const [near, far] = duplexPair();
      const client = new Client();
      const { input, stream } = relayed(near, throttling);
      const over = stream(client.sink);
      input.write('hello');
      expect(String((await once(far, 'data'))[0])).toBe('hello');
      far.end('bye');
      await over;
      expect([client.got, near.destroyed]).toEqual([['bye'], true]);
    });

    test('A client that goes ends the other side, behind what it has said', async () => {
      const [near, far] = duplexPair();
      const client = new Client();
      const { input, stream } = relayed(near, throttling);
      const over = stream(client.sink);
      const got = far.toArray() as Promise<Buffer[]>;
      input.end('last words');
      for (let i = 0; i < 10; i++) await turn();
      client.leave();
      await over;
      expect([String(Buffer.concat(await got)), near.destroyed]).toEqual(['last words', true]);
    });

    test('A connection that breaks is no end but a break', async () => {
      const near = new PassThrough();
      const client = new Client();
      const over = relayed(near, throttling).stream(client.sink);
      near.destroy(new Error('gone'));
      await over;
      expect(client.got).toEqual(['(abort)']);
    });
  },
);

describe('half a connection', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  test('A side that takes nothing any more ends ten seconds after the client is gone', async () => {
    const near = new Duplex({ read: () => undefined, write: () => undefined });
    const client = new Client();
    const { input, stream } = relayed(near, throttlingOf(0));
    const over = stream(client.sink);
    input.write('a');
    client.leave();
    await vi.advanceTimersByTimeAsync(9_999);
    expect(near.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await over;
    expect(near.destroyed).toBe(true);
  });

  test('The other side ends ten seconds after the client has said all', async () => {
    const near = new Duplex({ read: () => undefined, write: (_, __, done) => done() });
    const { input } = relayed(near, throttlingOf(0));
    input.end();
    await once(near, 'finish');
    await vi.advanceTimersByTimeAsync(9_999);
    expect(near.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(near.destroyed).toBe(true);
  });
});
