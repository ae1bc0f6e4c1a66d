import { describe, expect, test } from 'vitest';
import { type ReleasedNumbers, ReleaseLog } from './release-log.ts';

/** Releases one after the other, each at its revision. */
function logOf(...releases: readonly (readonly [revision: number, numbers: ReleasedNumbers])[]): ReleaseLog {
  let log = ReleaseLog.empty;
  for (const [revision, numbers] of releases) log = ReleaseLog.read(log.with(numbers), revision);
  return log;
}

describe('log of releases', () => {
  const others = logOf([10, [1]], [20, [2]], [30, [3]]);
  const twice = logOf([10, [1]], [20, [2]], [30, [1]]);
  const anew = logOf([10, 'everything'], [20, [2]]);
  test.each([
    { name: 'nothing was released', log: logOf(), since: 0, released: false },
    { name: 'released after its owner had it', log: logOf([10, [1]]), since: 9, released: true },
    { name: 'its owner had it after the release', log: logOf([10, [1]]), since: 10, released: false },
    { name: 'another number was released', log: logOf([10, [2]]), since: 9, released: false },
    { name: 'released, and others later', log: others, since: 9, released: true },
    { name: 'its owner had it between its release and those of others', log: others, since: 15, released: false },
    { name: 'released once more', log: twice, since: 15, released: true },
    { name: 'its owner had it before the range was made anew', log: anew, since: 9, released: true },
    { name: 'its owner had it after the range was made anew', log: anew, since: 11, released: false },
    {
      name: 'released before the range was made anew',
      log: logOf([5, [1]], [10, 'everything']),
      since: 11,
      released: false,
    },
  ])('Log of releases: $name: $released', ({ log, since, released }) => {
    expect(log.isReleasedSince(1, since)).toBe(released);
  });

  test('The log of releases keeps a thousand numbers, and takes what it has forgotten for everything', () => {
    const many = (from: number): number[] => Array.from({ length: 500 }, (_, i) => from + i);
    const log = logOf([10, many(0)], [20, many(1_000)], [30, many(2_000)]);
    expect([9, 10, 19].map((since) => log.isReleasedSince(5_000, since))).toEqual([true, false, false]);
    expect([log.isReleasedSince(1_000, 19), log.isReleasedSince(2_499, 29)]).toEqual([true, true]);
    expect(log.with([1]).length).toBeLessThan(10_000);
  });

  test('A release of more than it keeps counts as everything', () => {
    const log = logOf([10, Array.from({ length: 1_001 }, (_, i) => i)]);
    expect([log.isReleasedSince(5_000, 9), log.isReleasedSince(5_000, 10)]).toEqual([true, false]);
  });

  const unreadable = ['', 'no log', '{}', '[]', '{"forgottenUpTo":0,"releases":[{"numbers":"1"}]}'];
  test.each(unreadable)('What cannot be read may have released everything: %j', (text) => {
    const log = ReleaseLog.read(Buffer.from(text), 10);
    expect([log.isReleasedSince(1, 9), log.isReleasedSince(1, 10)]).toEqual([true, false]);
  });
});
