import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { copyStream } from './copy-stream.ts';
import type { Sink } from './exchange.ts';

/** A client that notes what it gets. */
class Client implements Sink {
  readonly log: string[] = [];
  closed = false;
  #listener = (): void => undefined;
  readonly #accepts: (piece: string) => boolean;

  /** @param accepts whether the client takes more after this piece, without a wait */
  constructor(accepts: (piece: string) => boolean = () => true) {
    this.#accepts = accepts;
  }

  write(chunk: Buffer): boolean {
    this.log.push(chunk.toString());
    return this.#accepts(chunk.toString());
  }

  drained(): Promise<void> {
    this.log.push('waited for');
    return Promise.resolve();
  }

  onClose(listener: () => void): void {
    this.#listener = listener;
  }

  abort(): void {
    this.log.push('aborted');
  }

  leave(): void {
    this.closed = true;
    this.#listener();
  }
}

const pieces = (...texts: string[]): Readable => Readable.from(texts.map((text) => Buffer.from(text)));

function failing(...texts: string[]): Readable {
  return Readable.from(
    (async function* () {
      yield* texts.map((text) => Buffer.from(text));
      throw new Error('the source broke off');
    })(),
  );
}

describe('a stream that is copied to a client', () => {
  test.each<{ name: string; source: () => Readable; accepts?: (piece: string) => boolean; log: string[] }>([
    { name: 'arrives piece by piece', source: () => pieces('a', 'b'), log: ['a', 'b'] },
    {
      name: 'waits while the client takes nothing',
      source: () => pieces('a', 'b', 'c'),
      accepts: (piece) => piece !== 'b',
      log: ['a', 'b', 'waited for', 'c'],
    },
    { name: 'ends the answer at once when it breaks off', source: () => failing('a'), log: ['a', 'aborted'] },
  ])('A stream that is copied to a client: $name', async ({ source, accepts, log }) => {
    const client = new Client(accepts);
    const from = source();
    await copyStream(from, client, () => undefined);
    expect(client.log).toEqual(log);
    expect(from.destroyed).toBe(true);
  });

  test('A stream of text is copied to a client as bytes', async () => {
    const written: unknown[] = [];
    const client = new Client();
    client.write = (chunk) => written.push(chunk) > 0;
    await copyStream(Readable.from(['é', 'b']), client, () => undefined);
    expect(written).toEqual([Buffer.from('é'), Buffer.from('b')]);
  });

  test('A stream that is copied to a client is stopped when the client is gone already', async () => {
    const client = new Client();
    client.closed = true;
    const source = pieces('a');
    await copyStream(source, client, () => source.destroy());
    expect(client.log).toEqual([]);
  });

  test('A stream that is copied to a client is stopped when the client goes, and nothing is aborted then', async () => {
    const source = new Readable({ read: () => undefined });
    const client = new Client(() => {
      queueMicrotask(() => client.leave());
      return true;
    });
    const copied = copyStream(source, client, () => source.destroy());
    source.push('a');
    await copied;
    expect(client.log).toEqual(['a']);
  });
});
