import { expect, test } from 'vitest';
import type { Pod, Taint } from '../../api/gen/types/core-v1.ts';
import { stayMs } from './sync.ts';

const taint = (key: string, effect: Taint['effect'] = 'NoExecute', value = ''): Taint =>
  ({ key, effect, ...(value === '' ? {} : { value }) }) as Taint;
const pod = (...tolerations: object[]): Pod => ({ metadata: {}, spec: { tolerations } }) as unknown as Pod;
const tolerates = (key: string, tolerationSeconds?: number): object => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});

test.each([
  { name: 'no taints', pod: pod(), taints: [], stay: undefined },
  { name: 'a taint that does not evict', pod: pod(), taints: [taint('a', 'NoSchedule')], stay: undefined },
  { name: 'a taint that it does not tolerate', pod: pod(), taints: [taint('a')], stay: 0 },
  { name: 'a taint that it tolerates for good', pod: pod(tolerates('a')), taints: [taint('a')], stay: undefined },
  { name: 'a taint that it tolerates for a time', pod: pod(tolerates('a', 300)), taints: [taint('a')], stay: 300_000 },
  { name: 'a taint that it tolerates for no time', pod: pod(tolerates('a', -5)), taints: [taint('a')], stay: 0 },
  {
    name: 'two taints that it tolerates, the shorter time',
    pod: pod(tolerates('a', 300), tolerates('b', 60)),
    taints: [taint('a'), taint('b')],
    stay: 60_000,
  },
  {
    name: 'two tolerations of one taint, the shorter time',
    pod: pod(tolerates('a'), tolerates('a', 10)),
    taints: [taint('a')],
    stay: 10_000,
  },
  {
    name: 'a second taint that it does not tolerate',
    pod: pod(tolerates('a')),
    taints: [taint('a'), taint('b')],
    stay: 0,
  },
  {
    name: 'any taint, tolerated by an empty key',
    pod: pod({ operator: 'Exists' }),
    taints: [taint('a'), taint('b')],
    stay: undefined,
  },
  {
    name: 'a taint of another value',
    pod: pod({ key: 'a', operator: 'Equal', value: 'x', effect: 'NoExecute' }),
    taints: [taint('a', 'NoExecute', 'y')],
    stay: 0,
  },
])('How long a pod stays with $name', ({ pod: of, taints, stay }) => {
  expect(stayMs(of, taints)).toBe(stay);
});
