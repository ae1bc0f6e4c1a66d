import { expect, test } from 'vitest';
import { fitCapacity, type WindowCapacity } from './window-capacity.ts';

test.each([
  { name: 'an empty window', sizes: [0], capacity: 100, increases: 0, decreases: 0 },
  { name: 'a window that is exactly full', sizes: [100], capacity: 100, increases: 0, decreases: 0 },
  { name: 'a window that grows step by step', sizes: [101, 201], capacity: 400, increases: 2, decreases: 0 },
  { name: 'a window that grows at once', sizes: [1000], capacity: 1600, increases: 4, decreases: 0 },
  { name: 'a window of which a quarter is left', sizes: [400, 100], capacity: 400, increases: 2, decreases: 0 },
  { name: 'a window of which less is left', sizes: [400, 99], capacity: 200, increases: 2, decreases: 1 },
  { name: 'a window that becomes empty', sizes: [400, 0], capacity: 100, increases: 2, decreases: 2 },
])('The capacity of $name is that of the ring it would need', ({ sizes, capacity, increases, decreases }) => {
  const window: WindowCapacity = { capacity: undefined, increases: 0, decreases: 0 };
  for (const size of sizes) fitCapacity(window, size);
  expect(window).toEqual({ capacity, increases, decreases });
});
