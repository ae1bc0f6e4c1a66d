import { describe, expect, test } from 'vitest';
import type { RangeRequest, RangeResponse } from '../../etcd/messages.ts';
import { listAll } from './list.ts';

/** Answers ranges over so many keys of so many bytes, and remembers the requests. */
function rangeOver(
  total: number,
  valueBytes: number,
): { range: (request: RangeRequest) => Promise<RangeResponse>; requests: RangeRequest[] } {
  const keys = Array.from({ length: total }, (_, i) => `/p/${String(i).padStart(6, '0')}`);
  const requests: RangeRequest[] = [];
  return {
    requests,
    range: async (request) => {
      requests.push(request);
      const from = keys.findIndex((key) => key >= request.key);
      const matching = from < 0 ? [] : keys.slice(from);
      const kvs = matching.slice(0, request.limit).map((key) => ({
        key,
        value: Buffer.alloc(request.keysOnly ? 0 : valueBytes),
        modRevision: 5,
        createRevision: 5,
      }));
      // The current revision moves on between the pages.
      return { revision: 10 + requests.length, kvs, count: matching.length };
    },
  };
}

describe('lists in pages', () => {
  test.each([
    { name: 'nothing', total: 0, bytes: 1, options: {}, keys: 0, calls: 1 },
    { name: 'a few keys in one call', total: 20, bytes: 2_500, options: {}, keys: 20, calls: 1 },
    { name: 'a limit in one call', total: 5_000, bytes: 2_500, options: { limit: 500 }, keys: 500, calls: 1 },
    { name: 'small values in growing pages', total: 20_000, bytes: 100, options: {}, keys: 20_000, calls: 4 },
    { name: 'large values in small pages', total: 1_500, bytes: 100_000, options: {}, keys: 1_500, calls: 6 },
    {
      name: 'keys alone in large pages',
      total: 20_000,
      bytes: 100_000,
      options: { keysOnly: true },
      keys: 20_000,
      calls: 2,
    },
    {
      name: 'a limit over several pages',
      total: 20_000,
      bytes: 2_500,
      options: { limit: 3_000 },
      keys: 3_000,
      calls: 2,
    },
    { name: 'exactly as many as there are', total: 1_000, bytes: 10, options: { limit: 1_000 }, keys: 1_000, calls: 1 },
  ])('Lists of etcd in pages read $name', async ({ total, bytes, options, keys, calls }) => {
    const { range, requests } = rangeOver(total, bytes);
    const result = await listAll(range, '/p/', options);
    expect(result.kvs.length).toBe(keys);
    expect(new Set(result.kvs.map((kv) => kv.key)).size).toBe(keys);
    expect(result.count).toBe(total);
    expect(result.revision).toBe(11);
    expect(requests.length).toBe(calls);
    expect(requests.slice(1).every((request) => request.revision === 11)).toBe(true);
    expect(requests[0]!.revision).toBeUndefined();
  });

  test('Lists in pages at a revision ask for it in each page', async () => {
    const { range, requests } = rangeOver(3_000, 10);
    expect(await listAll(range, '/p/', { revision: 7, start: '/p/000100' })).toMatchObject({
      revision: 7,
      count: 2_900,
    });
    expect(new Set(requests.map((request) => request.revision))).toEqual(new Set([7]));
    expect(requests[0]!.key).toBe('/p/000100');
  });
});
