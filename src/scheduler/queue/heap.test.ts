import { expect, test } from 'vitest';
import { Heap } from './heap.ts';

interface Item {
  readonly key: string;
  readonly rank: number;
}

const heap = (): Heap<Item> =>
  new Heap(
    ({ key }) => key,
    (a, b) => a.rank < b.rank,
  );

/** The order of `Math.random` with a seed. */
function* numbers(seed: number): Generator<number, never> {
  for (let value = seed; ; ) yield (value = (value * 48271) % 2147483647);
}

test('Items come out in order, whatever was replaced and removed before', () => {
  const random = numbers(7);
  const items = heap();
  const model = new Map<string, Item>();
  for (let step = 0; step < 3000; step++) {
    const item = { key: `k${random.next().value % 100}`, rank: random.next().value };
    if (random.next().value % 3 === 0) {
      expect(items.delete(item.key)).toBe(model.get(item.key));
      model.delete(item.key);
    } else {
      items.set(item);
      model.set(item.key, item);
    }
    expect(items.get(item.key)).toBe(model.get(item.key));
  }
  const sorted = [...model.values()].sort((a, b) => a.rank - b.rank);
  expect(items.size).toBe(sorted.length);
  expect(sorted.map(() => items.shift())).toEqual(sorted);
  expect([items.shift(), items.first, items.size]).toEqual([undefined, undefined, 0]);
});
