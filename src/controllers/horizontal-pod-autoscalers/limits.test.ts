import { describe, expect, test } from 'vitest';
import { type History, limit, newHistory, noteChange } from './limits.ts';

const now = 1_000_000;
const base = { min: 1, max: 20, behavior: undefined, stabilizationMs: 300_000, now };
const fresh = (): History => ({ recommendations: [], ups: [], downs: [] });

describe('without a behaviour', () => {
  test.each([
    { name: 'within the bounds', current: 3, wanted: 5, replicas: 5, reason: 'DesiredWithinRange', limited: 'False' },
    { name: 'more than twice as many', current: 3, wanted: 9, replicas: 6, reason: 'ScaleUpLimit', limited: 'True' },
    { name: 'up to four from one', current: 1, wanted: 9, replicas: 4, reason: 'ScaleUpLimit', limited: 'True' },
    { name: 'above the maximum', current: 15, wanted: 25, replicas: 20, reason: 'TooManyReplicas', limited: 'True' },
    { name: 'below the minimum', current: 3, wanted: 0, replicas: 1, reason: 'TooFewReplicas', limited: 'True' },
  ])('Without a behaviour: $name', ({ current, wanted, replicas, reason, limited }) => {
    const result = limit({ ...base, history: fresh(), current, wanted });
    expect(result).toMatchObject({ replicas, scalingLimited: { reason, status: limited } });
    expect(result.ableToScale.reason).toBe('ReadyForNewScale');
  });

  test('The highest of the recent recommendations goes, until it is old', () => {
    const history = newHistory(5, now);
    const later = (ms: number) => limit({ ...base, history, current: 5, wanted: 2, now: now + ms });
    expect(later(299_999)).toMatchObject({ replicas: 5, ableToScale: { reason: 'ScaleDownStabilized' } });
    expect(later(300_001)).toMatchObject({ replicas: 2, ableToScale: { reason: 'ReadyForNewScale' } });
  });
});

const rules = (selectPolicy: string, ...policies: (readonly [string, number, number])[]) => ({
  stabilizationWindowSeconds: 0,
  selectPolicy,
  policies: policies.map(([type, value, periodSeconds]) => ({ type, value, periodSeconds })),
});
const up = [
  ['Percent', 100, 60],
  ['Pods', 4, 60],
] as const;
const down = [
  ['Percent', 50, 60],
  ['Pods', 1, 60],
] as const;

describe('with a behaviour', () => {
  test.each([
    { name: 'the largest change up', scaleUp: rules('Max', ...up), wanted: 20, replicas: 20 },
    { name: 'the smallest change up', scaleUp: rules('Min', ...up), wanted: 20, replicas: 14 },
    { name: 'no change up', scaleUp: rules('Disabled', ...up), wanted: 20, replicas: 10 },
    { name: 'the largest change down', scaleUp: rules('Max', ...up), wanted: 1, replicas: 5 },
    {
      name: 'the smallest change down',
      scaleUp: rules('Max', ...up),
      scaleDown: rules('Min', ...down),
      wanted: 1,
      replicas: 9,
    },
  ])('With a behaviour: $name', ({ scaleUp, scaleDown = rules('Max', ...down), wanted, replicas }) => {
    const behavior = { scaleUp, scaleDown };
    expect(limit({ ...base, behavior, history: fresh(), current: 10, wanted }).replicas).toBe(replicas);
  });

  test('A policy counts what was done in its period', () => {
    const behavior = { scaleUp: rules('Max', ['Pods', 4, 60]), scaleDown: rules('Max', ...down) };
    const history = fresh();
    noteChange({ history, behavior }, 3, now);
    const at = (ms: number) => limit({ ...base, behavior, history, current: 10, wanted: 20, now: now + ms }).replicas;
    expect(at(59_999)).toBe(11);
    expect(at(60_000)).toBe(14);
  });

  test('The lowest recommendation of the window goes up, the highest goes down', () => {
    const behavior = {
      scaleUp: { ...rules('Max', ...up), stabilizationWindowSeconds: 60 },
      scaleDown: { ...rules('Max', ...down), stabilizationWindowSeconds: 60 },
    };
    const recommended = (replicas: number): History => newHistory(replicas, now - 30_000);
    const run = (before: number, wanted: number) =>
      limit({ ...base, behavior, history: recommended(before), current: 10, wanted });
    expect(run(11, 15)).toMatchObject({ replicas: 11, ableToScale: { reason: 'ScaleUpStabilized' } });
    expect(run(9, 6)).toMatchObject({ replicas: 9, ableToScale: { reason: 'ScaleDownStabilized' } });
  });

  test('Scaling down is stabilized by the option where the autoscaler does not say', () => {
    const { stabilizationWindowSeconds: _, ...scaleDown } = rules('Max', ...down);
    const behavior = { scaleUp: rules('Max', ...up), scaleDown };
    const history = newHistory(10, now - 299_000);
    expect(limit({ ...base, behavior, history, current: 10, wanted: 6 }).replicas).toBe(10);
  });
});
