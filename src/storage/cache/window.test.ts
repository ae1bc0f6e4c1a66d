import { describe, expect, test } from 'vitest';
import type { StoredObject } from '../objects.ts';
import { Change } from './change.ts';
import { ChangeWindow } from './window.ts';
import type { WindowLimits } from './window.ts';

const limits: WindowLimits = { minEvents: 2, maxEvents: 5, maxBytes: 1_000_000, maxAgeMs: 100 };

function version(revision: number, size = 10): StoredObject {
  return {
    key: 'k',
    revision,
    bytes: Buffer.alloc(size),
    attributes: { namespace: '', name: 'k', labels: new Map(), fields: new Map() },
  };
}

function change(revision: number, { at = 0, size = 10 } = {}): Change {
  return new Change({ key: 'k', revision, object: version(revision, size), previous: version(revision - 1, size), at });
}

function windowOf(changes: readonly Change[], options: Partial<WindowLimits> = {}, now = 0): ChangeWindow {
  const window = new ChangeWindow({ ...limits, ...options }, 1);
  for (const each of changes) window.push(each);
  window.trim(now);
  return window;
}

const revisionsOf = (changes: Iterable<Change>): number[] => [...changes].map(({ revision }) => revision);

describe('change window', () => {
  test('The change window gives what came after a revision, and what to undo to get back to it', () => {
    const window = windowOf([2, 3, 3, 5, 8].map((revision) => change(revision)));
    expect(revisionsOf(window.after(1))).toEqual([2, 3, 3, 5, 8]);
    expect(revisionsOf(window.after(3))).toEqual([5, 8]);
    expect(revisionsOf(window.after(4))).toEqual([5, 8]);
    expect(revisionsOf(window.after(8))).toEqual([]);
    expect(revisionsOf(window.undo(8, 2))).toEqual([8, 5, 3, 3]);
    expect(revisionsOf(window.undo(5, 3))).toEqual([5]);
    expect(window.countAfter(3)).toBe(2);
  });

  test.each([
    { name: 'by count', options: { maxEvents: 3 }, now: 0, kept: [4, 5, 6], floor: 3 },
    { name: 'by age, but not the last few', options: {}, now: 1_000, kept: [5, 6], floor: 4 },
    { name: 'by bytes of old versions', options: { maxBytes: 2 * 410 }, now: 0, kept: [5, 6], floor: 4 },
    { name: 'by bytes, if need be all of them', options: { maxBytes: 100 }, now: 1_000, kept: [], floor: 6 },
    { name: 'nothing within the limits', options: {}, now: 100, kept: [2, 3, 4, 5, 6], floor: 1 },
  ])('Change window drops the oldest $name', ({ options, now, kept, floor }) => {
    const window = windowOf(
      [2, 3, 4, 5, 6].map((revision) => change(revision)),
      options,
      now,
    );
    expect([...window.after(window.floor)].map(({ revision }) => revision)).toEqual(kept);
    expect(window.floor).toBe(floor);
  });

  test('A revision of which a part was dropped is not offered at all', () => {
    const window = windowOf(
      [2, 3, 3, 3, 4].map((revision) => change(revision)),
      { maxEvents: 3 },
    );
    expect(window.floor).toBe(3);
    expect(revisionsOf(window.after(window.floor))).toEqual([4]);
  });

  test('The change window gives back what it dropped: bytes do not add up', () => {
    const window = new ChangeWindow({ ...limits, maxEvents: 10 }, 1);
    for (let revision = 2; revision < 10_000; revision++) {
      window.push(change(revision));
      window.trim(0);
    }
    expect(window.size).toBe(10);
    expect(window.bytes).toBe(10 * 410);
    expect(revisionsOf(window.after(window.floor))).toHaveLength(10);
  });
});
