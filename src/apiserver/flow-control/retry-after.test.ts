import { describe, expect, test } from 'vitest';
import { RetryAfter } from './retry-after.ts';

describe('the time to wait after a refusal', () => {
  const after = (refusals: readonly (readonly [second: number, count: number])[]): number => {
    const retry = new RetryAfter();
    for (const [second, count] of refusals) for (let i = 0; i < count; i++) retry.refused(second);
    return retry.seconds;
  };
  test.each<{ name: string; refusals: [number, number][]; seconds: number }>([
    { name: 'is a second', refusals: [[100, 50]], seconds: 1 },
    {
      name: 'doubles after a second of refusals',
      refusals: [
        [100, 3],
        [101, 1],
      ],
      seconds: 2,
    },
    {
      name: 'stays after few',
      refusals: [
        [100, 2],
        [101, 1],
      ],
      seconds: 1,
    },
    {
      name: 'is not raised again at once',
      refusals: [
        [100, 9],
        [101, 9],
        [102, 9],
      ],
      seconds: 2,
    },
    {
      name: 'falls when there were none',
      refusals: [
        [100, 9],
        [101, 1],
        [200, 1],
      ],
      seconds: 1,
    },
  ])('The time to wait $name', ({ refusals, seconds }) => {
    expect(after(refusals)).toBe(seconds);
  });

  test('The time to wait has an end', () => {
    expect(after(Array.from({ length: 500 }, (_, i) => [100 + i, 1000]))).toBe(32);
  });
});
