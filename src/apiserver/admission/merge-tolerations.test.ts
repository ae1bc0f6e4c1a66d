import { expect, test } from 'vitest';
import type { Toleration } from '../../api/gen/types/core-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import { pick, randomSource } from '../../../test/support/random.ts';
import { mergeTolerations } from './merge-tolerations.ts';

test('Tolerations are merged as by comparing each with each', () => {
  const random = randomSource(3);
  const any = (): Toleration => {
    const [key, operator, value, effect, tolerationSeconds] = [
      pick(random, [undefined, 'a', 'b']),
      pick(random, [undefined, 'Equal', 'Exists'] as const),
      pick(random, [undefined, 'x', 'y']),
      pick(random, [undefined, 'NoExecute', 'NoSchedule'] as const),
      pick(random, [undefined, 1, 2]),
    ];
    return JSON.parse(JSON.stringify({ key, operator, value, effect, tolerationSeconds })) as Toleration;
  };
  for (let round = 0; round < 2000; round++) {
    const [first, second] = [1, 2].map(() => Array.from({ length: 4 }, any)) as [Toleration[], Toleration[]];
    expect(mergeTolerations(first, second)).toEqual(byPairs([...first, ...second]));
  }
});

function byPairs(all: readonly Toleration[]): Toleration[] {
  const merged: Toleration[] = [];
  for (const [i, toleration] of all.entries()) {
    const isCovered =
      merged.some((other) => covers(other, toleration)) ||
      all.slice(i + 1).some((other) => !isEqual(other, toleration) && covers(other, toleration));
    if (!isCovered) merged.push(toleration);
  }
  return merged;
}

function covers(wide: Toleration, narrow: Toleration): boolean {
  if (isEqual(wide, narrow)) return true;
  if (narrow.key !== wide.key && (wide.key !== undefined || wide.operator !== 'Exists')) return false;
  if (narrow.effect !== wide.effect && wide.effect !== undefined) return false;
  if (
    wide.effect === 'NoExecute' &&
    wide.tolerationSeconds !== undefined &&
    (narrow.tolerationSeconds === undefined || Number(narrow.tolerationSeconds) > Number(wide.tolerationSeconds))
  )
    return false;
  return wide.operator === 'Exists' || ((narrow.operator ?? 'Equal') === 'Equal' && narrow.value === wide.value);
}

test.each<{ name: string; make: (i: number) => Toleration; kept: number }>([
  { name: 'that differ', make: (i) => ({ key: `k${i}`, operator: 'Exists' }), kept: 20_000 },
  {
    name: 'that last longer and longer',
    make: (i) => ({ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: i }),
    kept: 1,
  },
])('Tens of thousands $name are each looked at a few times', ({ make, kept }) => {
  let reads = 0;
  const counted = Array.from(
    { length: 20_000 },
    (_, i) => new Proxy(make(i), { get: (target, key) => (reads++, Reflect.get(target, key) as unknown) }),
  );
  expect(mergeTolerations(counted.slice(0, 10_000), counted.slice(10_000))).toHaveLength(kept);
  expect(reads).toBeLessThan(100 * 20_000);
});
