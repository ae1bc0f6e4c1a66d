import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../../base/logger.ts';
import { FakeClock } from '../../../base/testing/fake-clock.ts';
import { type MemoryObject, MemorySource } from '../../../reconcile/testing/memory-source.ts';
import type { Source } from '../../../reconcile/source.ts';
import { CachedObjects } from './cached-objects.ts';
import { WatchedObjects } from './watched-objects.ts';

type Thing = MemoryObject & { readonly immutable?: boolean };

/** Objects that are watched, each with a source of its own. */
function watching({ isUsed = false, immutable = false } = {}) {
  const sources = new Map<string, MemorySource>();
  const changed: string[] = [];
  const clock = new FakeClock();
  const sourceOf = (name: string): MemorySource => {
    const source = sources.get(name) ?? new MemorySource();
    sources.set(name, source);
    return source;
  };
  const objects = new WatchedObjects<Thing>({
    source: (_, name) => sourceOf(name) as Source<Thing>,
    what: 'configmap',
    onChange: (namespace, name) => changed.push(`${namespace}/${name}`),
    isUsed: () => isUsed,
    clock,
    random: () => 0,
    log: silentLogger,
  });
  if (immutable) Object.assign(sourceOf('a').set('a', '1'), { immutable });
  onTestFinished(() => objects.stop());
  return { objects, changed, clock, sourceOf };
}

const dataOf = async (object: Promise<Thing | undefined>): Promise<string | undefined> => (await object)?.data;

describe('Objects of pods that are watched', () => {
  test('A change is told and read without asking again', async () => {
    const { objects, changed, sourceOf } = watching();
    const source = sourceOf('a');
    source.set('a', '1');
    expect(await dataOf(objects.get('ns', 'a'))).toBe('1');
    await expect.poll(() => source.openWatches).toBe(1);
    source.set('a', '2');
    await expect.poll(() => changed).toEqual(['ns/a']);
    expect(await dataOf(objects.get('ns', 'a'))).toBe('2');
    expect(source.lists).toHaveLength(1);
  });

  test('An object that is not there is known to be absent, and is told when it is made', async () => {
    const { objects, changed, sourceOf } = watching();
    expect(await objects.get('ns', 'a')).toBeUndefined();
    await expect.poll(() => sourceOf('a').openWatches).toBe(1);
    sourceOf('a').set('a', '1');
    await expect.poll(() => changed).toEqual(['ns/a']);
    expect(await dataOf(objects.get('ns', 'a'))).toBe('1');
  });

  test('The last state is used on while the API server is away', async () => {
    const { objects, sourceOf } = watching();
    const source = sourceOf('a');
    source.set('a', '1');
    await objects.get('ns', 'a');
    source.isAway = true;
    expect(await dataOf(objects.get('ns', 'a'))).toBe('1');
  });

  test('A read fails while the API server has never answered, and succeeds when it does', async () => {
    const { objects, clock, sourceOf } = watching();
    const source = sourceOf('a');
    source.isAway = true;
    await expect(objects.get('ns', 'a')).rejects.toThrow();
    source.isAway = false;
    source.set('a', '1');
    await clock.advance(1000);
    expect(await dataOf(objects.get('ns', 'a'))).toBe('1');
  });

  test('An immutable object is not watched once it was seen', async () => {
    const { objects, sourceOf } = watching({ immutable: true });
    await expect.poll(() => objects.get('ns', 'a')).toBeDefined();
    await expect.poll(() => sourceOf('a').openWatches).toBe(0);
    expect(await dataOf(objects.get('ns', 'a'))).toBe('1');
  });

  test.each([
    { isUsed: false, left: 1, what: 'that no pod refers to is not watched any more' },
    { isUsed: true, left: 2, what: 'that a pod refers to is watched on' },
  ])('After five minutes without a read an object $what', async ({ isUsed, left }) => {
    const { objects, clock } = watching({ isUsed });
    await objects.get('ns', 'a');
    await clock.advance(300_000);
    await objects.get('ns', 'b');
    expect(objects.size).toBe(left);
  });
});

describe('Objects of pods that are read', () => {
  const reading = (ttlMs: number) => {
    const clock = new FakeClock();
    const answers: (string | Error)[] = [];
    let reads = 0;
    const objects = new CachedObjects<string>({
      read() {
        reads++;
        const answer = answers.shift() ?? 'later';
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
      ttlMs: () => ttlMs,
      clock,
    });
    return { objects, clock, answers, reads: () => reads };
  };

  test('With Cache an object is read again when its time is over, and a failed read leaves what is known', async () => {
    const { objects, clock, answers, reads } = reading(60_000);
    answers.push('first', new Error('away'), 'second');
    const both = await Promise.all([objects.get('ns', 'a'), objects.get('ns', 'a')]);
    expect(both).toEqual(['first', 'first']);
    await clock.advance(59_999);
    expect(await objects.get('ns', 'a')).toBe('first');
    expect(reads()).toBe(1);
    await clock.advance(1);
    expect(await objects.get('ns', 'a')).toBe('first');
    expect(await objects.get('ns', 'a')).toBe('second');
    expect(reads()).toBe(3);
  });

  test('With Get each read goes to the API server, and fails with it', async () => {
    const { objects, answers, reads } = reading(0);
    answers.push('first', new Error('away'));
    expect(await objects.get('ns', 'a')).toBe('first');
    await expect(objects.get('ns', 'a')).rejects.toThrow('away');
    expect(reads()).toBe(2);
  });
});
