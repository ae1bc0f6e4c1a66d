import { expect, test } from 'vitest';
import { nodeInfo } from '../testing/objects.ts';
import { selectNode } from './select-node.ts';

const nodes = ['a', 'b', 'c', 'd'].map((name) => nodeInfo({ name }));
const selected = (totals: number[], random: () => number): string =>
  selectNode(nodes, Float64Array.from(totals), random).name;

test.each([
  { totals: [1, 3, 2, 0], name: 'b' },
  { totals: [9, 3, 2, 0], name: 'a' },
  { totals: [0, 0, 0, 1], name: 'd' },
])('Of $totals the highest is selected: $name', ({ totals, name }) => {
  expect(selected(totals, () => 0)).toBe(name);
});

test('Of equals each is selected as often', () => {
  const counts = new Map<string, number>();
  let step = 0;
  const random = (): number => (++step * 0.6180339887498949) % 1;
  for (let i = 0; i < 3000; i++) {
    const name = selected([1, 5, 5, 5], random);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual(['b', 'c', 'd']);
  for (const count of counts.values()) expect(count).toBeGreaterThan(600);
});
