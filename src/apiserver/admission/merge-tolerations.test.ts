import { expect, test } from 'vitest';
import type { Toleration } from '../../api/gen/types/core-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import { pick, randomSource } from '../../../test/support/random.ts';
import { allowedTolerations, areAllowed, mergeTolerations } from './merge-tolerations.ts';

function tolerationSource(seed: number): () => Toleration {
  const random = randomSource(seed);
  return () => {
    const [key, operator, value, effect, tolerationSeconds] = [
      pick(random, [undefined, 'a', 'b']),
      pick(random, [undefined, 'Equal', 'Exists'] as const),
      pick(random, [undefined, 'x', 'y']),
      pick(random, [undefined, 'NoExecute', 'NoSchedule'] as const),
      pick(random, [undefined, 1, 2]),
    ];
    return JSON.parse(JSON.stringify({ key, operator, value, effect, tolerationSeconds })) as Toleration;
  };
}

test('Tolerations are merged as by comparing each with each', () => {
  const any = tolerationSource(3);
  for (let round = 0; round < 2000; round++) {
    const [first, second] = [1, 2].map(() => Array.from({ length: 4 }, any)) as [Toleration[], Toleration[]];
    expect(mergeTolerations(first, second)).toEqual(byPairs([...first, ...second]));
  }
});

test('Tolerations are allowed as by comparing each with each', () => {
  const any = tolerationSource(4);
  const verdicts = { allowed: 0, refused: 0 };
  for (let round = 0; round < 2000; round++) {
    const [tolerations, list] = [[any(), any()], Array.from({ length: 8 }, any)];
    const expected = tolerations.every((toleration) => list.some((wide) => covers(wide, toleration)));
    verdicts[expected ? 'allowed' : 'refused']++;
    expect(areAllowed(tolerations, allowedTolerations(list))).toBe(expected);
  }
  expect(Math.min(verdicts.allowed, verdicts.refused)).toBeGreaterThan(100);
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
