import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { Backends } from './backends.ts';
import { createFetch, type Fetched } from './fetch.ts';
import type { RemoteApi } from './remote-api.ts';

const mebibyte = 1024 * 1024;

/** An answer of so many mebibytes, and how many of them were read. */
function fetchOf(mebibytes: number): { readonly fetched: Promise<Fetched>; readonly read: () => number } {
  let read = 0;
  function* pieces(): Generator<Buffer> {
    for (; read < mebibytes; ) {
      read++;
      yield Buffer.alloc(mebibyte, 'x');
    }
  }
  const body = Readable.from(pieces(), { objectMode: true, highWaterMark: 1 });
  const send = () => Promise.resolve({ status: 200, headers: new Map<string, string[]>(), body });
  const fetch = createFetch({
    backends: { send } as unknown as Backends,
    resolve: () => Promise.resolve({ host: '127.0.0.1', port: 443 }),
  });
  const fetched = fetch({ service: {} } as RemoteApi, {
    path: '/openapi/v2',
    user: { name: 'a', groups: [] },
    accept: 'application/json',
    timeoutMs: 60_000,
    signal: new AbortController().signal,
  });
  return { fetched, read: () => read };
}

test('A document of 16 MiB is taken', async () => {
  expect((await fetchOf(16).fetched).body).toHaveLength(16 * mebibyte);
});

test('A longer document is refused, and the rest of it is not read', async () => {
  const { fetched, read } = fetchOf(100);
  await expect(fetched).rejects.toThrow('the answer is longer than 16777216 bytes');
  expect(read()).toBeLessThan(20);
});
