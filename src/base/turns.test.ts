import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

interface Held {
  readonly work: () => Promise<string>;
  readonly release: () => void;
}

function held(name: string, begun: string[]): Held {
  let release = (): void => undefined;
  const waits = new Promise<void>((resolve) => (release = resolve));
  const work = async (): Promise<string> => {
    begun.push(name);
    await waits;
    return name;
  };
  return { work, release: () => release() };
}

test('Work for one key begins in order, after that before it has ended, and that for others at once', async () => {
  const turns = new Turns();
  const begun: string[] = [];
  const [a, b, other] = ['a', 'b', 'other'].map((name) => held(name, begun)) as [Held, Held, Held];
  const results = [turns.run('k', a.work), turns.run('k', b.work), turns.run('l', other.work)];
  await Promise.resolve();
  expect(begun).toEqual(['a', 'other']);
  a.release();
  expect(await results[0]).toBe('a');
  b.release();
  other.release();
  expect(await Promise.all(results)).toEqual(['a', 'b', 'other']);
  expect(begun).toEqual(['a', 'other', 'b']);
  await Promise.resolve();
  expect(turns.size).toBe(0);
});

test('Work that fails ends its turn', async () => {
  const turns = new Turns();
  const failed = turns.run('k', () => Promise.reject(new Error('failed')));
  const next = turns.run('k', () => Promise.resolve('next'));
  await expect(failed).rejects.toThrow('failed');
  expect(await next).toBe('next');
});

test('What is given up while it waits never begins, and those behind it still wait for the one that runs', async () => {
  const turns = new Turns();
  const begun: string[] = [];
  const [a, b, c] = ['a', 'b', 'c'].map((name) => held(name, begun)) as [Held, Held, Held];
  const gone = new AbortController();
  const first = turns.run('k', a.work);
  const second = turns.run('k', b.work, gone.signal);
  const third = turns.run('k', c.work);
  gone.abort(new Error('gone'));
  await expect(second).rejects.toThrow('gone');
  expect(begun).toEqual(['a']);
  a.release();
  c.release();
  expect(await Promise.all([first, third])).toEqual(['a', 'c']);
  expect(begun).toEqual(['a', 'c']);
});
