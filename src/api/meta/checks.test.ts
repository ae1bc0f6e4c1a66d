import { expect, test } from 'vitest';
import { repeatedAt } from './checks.ts';

test.each([
  { name: 'nothing', list: [], at: [] },
  { name: 'each once', list: ['a', 'b'], at: [] },
  { name: 'every repetition', list: ['a', 'b', 'a', 'a', '__proto__', '__proto__'], at: [2, 3, 5] },
  { name: 'half a million values', list: [...Array.from({ length: 500_000 }, (_, i) => `v${i}`), 'v0'], at: [500_000] },
])('A check where a list repeats itself: $name', ({ list, at }) => {
  expect([...repeatedAt(list)]).toEqual(at);
});
