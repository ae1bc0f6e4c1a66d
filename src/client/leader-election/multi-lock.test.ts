import { describe, expect, test } from 'vitest';
import type { LeaderRecord } from './lock.ts';
import { multiLock } from './multi-lock.ts';
import { MemoryLock } from './testing/memory-lock.ts';

describe('two locks that are held together', () => {
  const record = (holderIdentity: string): LeaderRecord => ({
    holderIdentity,
    leaseDurationSeconds: 15,
    acquireTime: '',
    renewTime: '',
    leaderTransitions: 0,
  });
  const { signal } = new AbortController();

  test('Two locks that are held together are both written', async () => {
    const [first, second] = [new MemoryLock(), new MemoryLock()];
    const lock = multiLock(first, second);
    await lock.update(record('a'), await lock.create(record('b'), signal), signal);
    expect([first, second].map(({ held }) => held!.record.holderIdentity)).toEqual(['a', 'a']);
    expect((await lock.get(signal))!.record.holderIdentity).toBe('a');
  });

  test.each([
    { name: 'only the first exists', first: 'a', second: undefined, holder: 'a' },
    { name: 'only the second exists', first: undefined, second: 'a', holder: 'a' },
    {
      name: 'they disagree: neither candidate leads',
      first: 'a',
      second: 'b',
      holder: 'leaderelection.k8s.io/unknown',
    },
  ])('Two locks that are held together: $name', async ({ first, second, holder }) => {
    const locks = [new MemoryLock(), new MemoryLock()] as const;
    if (first !== undefined) await locks[0].create(record(first), signal);
    if (second !== undefined) await locks[1].create(record(second), signal);
    const lock = multiLock(...locks);
    const held = (await lock.get(signal))!;
    expect(held.record.holderIdentity).toBe(holder);
    await lock.update(record('c'), held, signal);
    expect(locks.map((each) => each.held!.record.holderIdentity)).toEqual(['c', 'c']);
  });
});
