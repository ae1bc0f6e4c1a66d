import { expect, test } from 'vitest';
import { IndexSet } from './index-set.ts';

test.each([
  { name: 'nothing', text: '', completions: 10, read: '', size: 0 },
  { name: 'single indexes and an interval', text: '1,3-5,7', completions: 10, read: '1,3-5,7', size: 5 },
  { name: 'two neighbours are no interval', text: '3-4', completions: 10, read: '3,4', size: 2 },
  { name: 'intervals that touch are one', text: '1,2,3-5', completions: 10, read: '1-5', size: 5 },
  { name: 'indexes that the Job no longer has are left out', text: '1,3-9,12', completions: 5, read: '1,3,4', size: 3 },
  { name: 'parts that cannot be read are left out', text: '1,x,3-y,-4,5', completions: 10, read: '1,5', size: 2 },
  { name: 'an interval that ends before it begins', text: '5-3,7', completions: 10, read: '7', size: 1 },
])('A set of indexes is read and written as text: $name', ({ text, completions, read, size }) => {
  const set = IndexSet.parse(text, completions);
  expect(String(set)).toBe(read);
  expect(set.size).toBe(size);
});

test.each([
  { a: '1,3-5', b: '2,7', union: '1-5,7', common: 0 },
  { a: '0-9', b: '3-5,8,20-30', union: '0-9,20-30', common: 4 },
  { a: '', b: '3', union: '3', common: 0 },
  { a: '3', b: '', union: '3', common: 0 },
  { a: '1-3,7-9', b: '2-8', union: '1-9', common: 4 },
])('Sets $a and $b together, and what they share', ({ a, b, union, common }) => {
  const [first, second] = [IndexSet.parse(a, 100), IndexSet.parse(b, 100)];
  expect(String(first.union(second))).toBe(union);
  expect(first.countCommon(second)).toBe(common);
  expect(second.countCommon(first)).toBe(common);
});

test('A set has its indexes and no others', () => {
  const set = IndexSet.of([8, 2, 3, 4, 2]);
  expect([0, 1, 2, 3, 4, 5, 7, 8, 9].filter((index) => set.has(index))).toEqual([2, 3, 4, 8]);
});

test.each([
  { name: 'of an empty set', text: '', count: 2, end: 5, missing: [0, 1] },
  { name: 'between intervals', text: '0,2-3,6', count: 3, end: 10, missing: [1, 4, 5] },
  { name: 'up to the end', text: '0-2', count: 9, end: 5, missing: [3, 4] },
  { name: 'none of a full set', text: '0-4', count: 9, end: 5, missing: [] },
])('The first indexes that are missing $name', ({ text, count, end, missing }) => {
  expect(IndexSet.parse(text, 100).firstMissing(count, end)).toEqual(missing);
});
