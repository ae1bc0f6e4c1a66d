import { describe, expect, test } from 'vitest';
import type { Sink } from './exchange.ts';
import { respond } from './response-writer.ts';

/** A connection that is written down. */
function outlet(options: { readonly closed?: boolean; readonly broken?: boolean } = {}) {
  const said: string[] = [];
  return {
    said,
    closed: options.closed ?? false,
    begin: (status: number) => {
      if (options.broken === true) throw new Error('the stream has been destroyed');
      said.push(String(status));
    },
    write: (chunk: Buffer) => Boolean(said.push(chunk.toString())),
    end: (last?: Buffer | string) => void said.push(`${String(last ?? '')}end`),
    fail: () => void said.push('failed'),
    drained: () => Promise.resolve(),
    onClose: () => undefined,
  };
}

const streaming = (run: (sink: Sink) => void) => ({
  status: 200,
  headers: {},
  stream: (sink: Sink) => Promise.resolve(run(sink)),
});

describe('an answer that streams', () => {
  test('An answer that streams begins, writes and ends', async () => {
    const out = outlet();
    await respond(
      out,
      streaming((sink) => void sink.write(Buffer.from('a'))),
      false,
    );
    expect(out.said).toEqual(['200', 'a', 'end']);
  });

  test.each([
    { name: 'the client has gone before it', options: { closed: true }, said: [] },
    { name: 'the connection breaks as it begins', options: { broken: true }, said: ['failed'] },
  ])('An answer that streams is told so when $name: what it holds open has to be let go', async ({ options, said }) => {
    const out = outlet(options);
    const seen: boolean[] = [];
    await respond(
      out,
      streaming((sink) => void seen.push(sink.closed)),
      false,
    );
    expect(seen).toEqual([true]);
    expect(out.said).toEqual(said);
  });

  test('An answer that streams that fails ends the connection', async () => {
    const out = outlet();
    await respond(out, { status: 200, headers: {}, stream: () => Promise.reject(new Error('no')) }, false);
    expect(out.said).toEqual(['200', 'failed']);
  });
});

test('Nothing else is written for a client that has gone', async () => {
  const out = outlet({ closed: true });
  await respond(out, { status: 200, headers: {}, body: 'x' }, false);
  await respond(out, { status: 200, headers: {}, chunks: [Buffer.from('x')] }, false);
  expect(out.said).toEqual([]);
});
