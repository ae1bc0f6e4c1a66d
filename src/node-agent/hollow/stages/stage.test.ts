import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../machinery/value.ts';
import { kwokVersion, orchVersion, type StageDocument, type StageSpec } from './document.ts';
import { chooseStage, compileStage, type Stage } from './stage.ts';

const stage = (spec: Partial<StageSpec>, apiVersion = kwokVersion, name = 'test'): Stage =>
  compileStage({
    apiVersion,
    kind: 'Stage',
    metadata: { name },
    spec: { resourceRef: { kind: 'Pod' }, selector: {}, ...spec },
  } satisfies StageDocument);

const pod: JsonObject = {
  metadata: {
    name: 'web',
    labels: { app: 'web' },
    annotations: { delay: '1m30s', soon: '1970-01-01T00:00:10Z', seconds: '2.5', bad: 'soon', empty: '', weight: '7' },
  },
  spec: { hostNetwork: true, priority: 3 },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
};

const expression = (key: string, operator: string, ...values: string[]) => ({
  selector: { matchExpressions: [{ key, operator, values }] },
});
const ready = '.status.conditions.[] | select( .type == "Ready" ) | .status';

describe('selectors', () => {
  test.each<{ name: string; spec: Partial<StageSpec>; matches: boolean }>([
    { name: 'an empty selector', spec: {}, matches: true },
    { name: 'no selector', spec: { selector: undefined as never }, matches: false },
    { name: 'a label', spec: { selector: { matchLabels: { app: 'web' } } }, matches: true },
    { name: 'another value of a label', spec: { selector: { matchLabels: { app: 'db' } } }, matches: false },
    { name: 'an annotation', spec: { selector: { matchAnnotations: { seconds: '2.5' } } }, matches: true },
    { name: 'an annotation that is not there', spec: { selector: { matchAnnotations: { x: '' } } }, matches: false },
    { name: 'In', spec: expression('.status.phase', 'In', 'Pending', 'Running'), matches: true },
    { name: 'In, nothing found', spec: expression('.status.none', 'In', 'x'), matches: false },
    { name: 'NotIn', spec: expression('.status.phase', 'NotIn', 'Pending'), matches: true },
    { name: 'NotIn, nothing found', spec: expression('.status.none', 'NotIn', 'x'), matches: true },
    { name: 'In of a condition', spec: expression(ready, 'In', 'True'), matches: true },
    { name: 'In of a bool', spec: expression('.spec.hostNetwork', 'In', 'true'), matches: true },
    { name: 'In of a number', spec: expression('.spec.priority', 'In', '3'), matches: true },
    { name: 'Exists', spec: expression('.metadata.name', 'Exists'), matches: true },
    { name: 'DoesNotExist', spec: expression('.metadata.deletionTimestamp', 'DoesNotExist'), matches: true },
    {
      name: "kwok's later form of an expression",
      spec: { selector: { matchExpressions: [{ jq: { key: '.status.phase', operator: 'In', values: ['Running'] } }] } },
      matches: true,
    },
    {
      name: 'all of them',
      spec: { selector: { matchLabels: { app: 'web' }, ...expression('.status.phase', 'In', 'Pending').selector } },
      matches: false,
    },
  ])('Selectors of stages: $name: $matches', ({ spec, matches }) => {
    expect(stage(spec).matches(pod)).toBe(matches);
  });
});

describe('delays', () => {
  const from = (name: string) => ({ expressionFrom: `.metadata.annotations["${name}"]` });

  test.each<{ name: string; delay: StageSpec['delay']; apiVersion?: string; delayMs: number }>([
    { name: 'none', delay: undefined, delayMs: 0 },
    { name: 'a duration', delay: { durationMilliseconds: 500 }, delayMs: 500 },
    { name: 'a longer jitter', delay: { durationMilliseconds: 500, jitterDurationMilliseconds: 1500 }, delayMs: 750 },
    { name: 'a shorter jitter', delay: { durationMilliseconds: 500, jitterDurationMilliseconds: 200 }, delayMs: 200 },
    {
      name: 'a duration of the object',
      delay: { durationMilliseconds: 1, durationFrom: from('delay') },
      delayMs: 90_000,
    },
    { name: 'a time of the object', delay: { durationFrom: from('soon') }, delayMs: 6000 },
    { name: 'a jitter until a time', delay: { jitterDurationFrom: from('soon') }, delayMs: 1500 },
    {
      name: 'what the object does not have',
      delay: { durationMilliseconds: 1, durationFrom: from('none') },
      delayMs: 1,
    },
    { name: 'what is no duration', delay: { durationMilliseconds: 1, durationFrom: from('bad') }, delayMs: 1 },
    { name: 'an empty text', delay: { durationMilliseconds: 1, durationFrom: from('empty') }, delayMs: 0 },
    { name: 'seconds, in orch.io', delay: { durationFrom: from('seconds') }, apiVersion: orchVersion, delayMs: 2500 },
    { name: "seconds, in kwok's", delay: { durationMilliseconds: 1, durationFrom: from('seconds') }, delayMs: 1 },
  ])('Delays of stages: $name', ({ delay, apiVersion, delayMs }) => {
    const spec = delay === undefined ? {} : { delay };
    expect(stage(spec, apiVersion).delayMs(pod, { nowMs: 4000, random: () => 0.25 })).toBe(delayMs);
  });

  test('A time that has passed is now', () => {
    expect(stage({ delay: { durationFrom: from('soon') } }).delayMs(pod, { nowMs: 20_000, random: () => 0 })).toBe(0);
  });
});

describe('weights', () => {
  const weighted = (name: string, spec: Partial<StageSpec>): Stage => stage(spec, kwokVersion, name);
  const from = (name: string) => ({ weightFrom: { expressionFrom: `.metadata.annotations["${name}"]` } });

  test.each<{ name: string; stages: readonly Stage[]; random: number; chosen: string | undefined }>([
    { name: 'none', stages: [], random: 0, chosen: undefined },
    { name: 'one', stages: [weighted('a', {})], random: 0.99, chosen: 'a' },
    {
      name: 'the first part',
      stages: [weighted('a', { weight: 1 }), weighted('b', { weight: 3 })],
      random: 0.24,
      chosen: 'a',
    },
    {
      name: 'the second part',
      stages: [weighted('a', { weight: 1 }), weighted('b', { weight: 3 })],
      random: 0.26,
      chosen: 'b',
    },
    { name: 'none without weight', stages: [weighted('a', {}), weighted('b', { weight: 3 })], random: 0, chosen: 'b' },
    { name: 'all alike', stages: [weighted('a', {}), weighted('b', {})], random: 0.5, chosen: 'b' },
    {
      name: 'a weight of the object',
      stages: [weighted('a', { weight: 7 }), weighted('b', from('weight'))],
      random: 0.51,
      chosen: 'b',
    },
    { name: 'an unreadable weight', stages: [weighted('a', from('bad')), weighted('b', {})], random: 0, chosen: 'b' },
    {
      name: 'only unreadable ones',
      stages: [weighted('a', from('bad')), weighted('b', from('empty'))],
      random: 0.6,
      chosen: 'b',
    },
  ])('Weights of stages: $name', ({ stages, random, chosen }) => {
    expect(chooseStage(stages, pod, () => random)?.name).toBe(chosen);
  });
});
