import { describe, expect, test } from 'vitest';
import { AllocationBitmap } from './bitmap.ts';

const shape = { size: 20, staticSize: 4 };

/** Gives these values, one after another. */
function sequence(...values: number[]): () => number {
  let next = 0;
  return () => values[next++ % values.length]!;
}

describe('allocation bitmap', () => {
  test.each([
    { name: 'nothing taken', numbers: [], bytes: '' },
    { name: 'the first number', numbers: [0], bytes: '01' },
    { name: 'the highest byte comes first', numbers: [0, 9], bytes: '0201' },
    { name: 'no leading zeros', numbers: [7], bytes: '80' },
    { name: 'the last number', numbers: [19], bytes: '080000' },
  ])('Allocation bitmap is stored as a big-endian integer: $name', ({ numbers, bytes }) => {
    const bitmap = new AllocationBitmap(shape);
    for (const number of numbers) bitmap.take(number);
    expect(bitmap.toBytes().toString('hex')).toBe(bytes);
    expect([...new AllocationBitmap(shape, Buffer.from(bytes, 'hex')).taken()]).toEqual(numbers);
  });

  test('A number of an allocation bitmap is taken once', () => {
    const bitmap = new AllocationBitmap(shape);
    expect([bitmap.take(5), bitmap.take(5)]).toEqual([true, false]);
    bitmap.giveBack(5);
    bitmap.giveBack(6);
    expect([bitmap.has(5), bitmap.take(5), bitmap.count]).toEqual([false, true, 1]);
  });

  test('The allocation bitmap knows whether anything changed', () => {
    const bitmap = new AllocationBitmap(shape, Buffer.from([1]));
    bitmap.take(0);
    bitmap.giveBack(3);
    expect(bitmap.changed).toBe(false);
    bitmap.giveBack(0);
    expect(bitmap.changed).toBe(true);
  });

  test('Numbers that are not requested by name come from above the static band, from a random position on', () => {
    const bitmap = new AllocationBitmap(shape);
    expect([
      bitmap.takeNext(sequence(0)),
      bitmap.takeNext(sequence(0)),
      bitmap.takeNext(sequence(0.99)),
      bitmap.takeNext(sequence(0.99)),
    ]).toEqual([4, 5, 19, 6]);
  });

  test('The static band is used when there is nothing else', () => {
    const bitmap = new AllocationBitmap(shape);
    for (let number = 4; number < 20; number++) bitmap.take(number);
    const rest = Array.from({ length: 5 }, () => bitmap.takeNext(sequence(0.5)));
    expect(rest).toEqual([2, 3, 0, 1, undefined]);
  });
});
