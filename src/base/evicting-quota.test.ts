import { describe, expect, test } from 'vitest';
import { EvictingQuota, type Usage } from './evicting-quota.ts';

function setUp(limit: number) {
  const evicted: string[] = [];
  const progress: Record<string, number> = {};
  const usages: Record<string, Usage> = {};
  const counted = { evictions: 0 };
  const quota = new EvictingQuota(limit, () => counted.evictions++);
  const use = (name: string, bytes: number): void =>
    (usages[name] ??= quota.track({ evict: () => void evicted.push(name), progress: () => progress[name] ?? 0 })).set(
      bytes,
    );
  return { evicted, progress, quota, use, counted };
}

describe('a quota that evicts', () => {
  test('A quota that evicts evicts what has made no progress for longest, and tells so', () => {
    const { use, evicted, quota, counted } = setUp(100);
    for (const name of ['a', 'b', 'c', 'd']) use(name, 30);
    expect([evicted, quota.used, counted.evictions]).toEqual([['a'], 90, 1]);
    use('b', 60);
    expect([evicted, quota.used, counted.evictions]).toEqual([['a', 'b'], 60, 2]);
  });

  test('A quota that evicts spares what makes progress, as long as there is something else', () => {
    const { use, evicted, progress } = setUp(100);
    for (const name of ['a', 'b', 'c']) use(name, 30);
    progress['a'] = 1;
    use('d', 30);
    expect(evicted).toEqual(['b']);
    // It has made no further progress since.
    use('e', 30);
    expect(evicted).toEqual(['b', 'c']);
  });

  test('A quota that evicts holds its limit also when everything makes progress', () => {
    const { use, evicted, progress, quota } = setUp(100);
    for (const name of ['a', 'b', 'c']) use(name, 30);
    for (const name of ['a', 'b', 'c', 'd']) progress[name] = 1;
    use('d', 30);
    expect([evicted, quota.used]).toEqual([['a'], 90]);
  });

  test('A quota that evicts counts what is freed', () => {
    const { use, evicted, quota } = setUp(100);
    use('a', 60);
    use('a', 0);
    use('b', 60);
    use('b', 20);
    use('c', 80);
    expect([evicted, quota.used]).toEqual([[], 100]);
  });

  test('A quota that evicts leaves the only one alone while it makes progress, whatever its size', () => {
    const { use, evicted, progress, quota } = setUp(100);
    use('a', 101);
    progress['a'] = 1;
    use('a', 200);
    expect([evicted, quota.used]).toEqual([[], 200]);
    use('b', 30);
    expect([evicted, quota.used]).toEqual([['a'], 30]);
  });

  test('A quota that evicts evicts the only one without progress, and counts nothing for it afterwards', () => {
    const { use, evicted, quota } = setUp(100);
    use('a', 101);
    use('a', 102);
    expect([evicted, quota.used]).toEqual([['a'], 0]);
    use('a', 0);
    expect(quota.used).toBe(0);
  });

  test('A quota that evicts holds its limit while an eviction frees others too', () => {
    const quota = new EvictingQuota(100);
    const evicted: string[] = [];
    const track = (name: string, also: () => void = () => undefined): Usage =>
      quota.track({ evict: () => void (evicted.push(name), also()) });
    const second = track('second');
    track('first', () => second.set(0)).set(40);
    second.set(40);
    track('third').set(40);
    expect([evicted, quota.used]).toEqual([['first'], 40]);
  });
});
