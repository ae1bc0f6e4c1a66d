import { expect, test } from 'vitest';
import { nextStep, secondsOf } from './sync.ts';

test.each([
  { name: 'no nodes', sizes: [0], seconds: 0 },
  { name: 'a hundred nodes', sizes: [100], seconds: 0 },
  { name: 'one more', sizes: [101], seconds: 15 },
  { name: 'ten nodes fewer again', sizes: [101, 91], seconds: 15 },
  { name: 'fewer than at the edge again', sizes: [101, 89], seconds: 0 },
  { name: 'thousands of nodes at once', sizes: [5000], seconds: 300 },
  { name: 'few nodes after thousands', sizes: [5000, 3], seconds: 0 },
])('The time that nodes keep configuration follows from their number: $name', ({ sizes, seconds }) => {
  expect(secondsOf(sizes.reduce(nextStep, 0))).toBe(seconds);
});
