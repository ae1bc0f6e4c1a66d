import { expect, test } from 'vitest';
import { finishedAtMs, nextBackoff, noBackoff, remainingMs, remainingOfIndexMs } from './backoff.ts';
import { ago, nowMs, podOf } from './testing/builders.ts';

const failed = (finished: number): ReturnType<typeof podOf> => podOf(`f${finished}`, { phase: 'Failed', finished });
const succeeded = (finished: number): ReturnType<typeof podOf> =>
  podOf(`s${finished}`, { phase: 'Succeeded', finished });
const seconds = (count: number): number => nowMs - count * 1000;

test.each([
  { name: 'nothing happened', before: noBackoff, succeeded: [], failed: [], after: noBackoff },
  {
    name: 'the last of several failures counts',
    before: noBackoff,
    succeeded: [],
    failed: [failed(30), failed(10), failed(20)],
    after: { failures: 3, lastFailureMs: seconds(10) },
  },
  {
    name: 'failures add up',
    before: { failures: 2, lastFailureMs: seconds(100) },
    succeeded: [],
    failed: [failed(10)],
    after: { failures: 3, lastFailureMs: seconds(10) },
  },
  {
    name: 'a success ends it',
    before: { failures: 2, lastFailureMs: seconds(100) },
    succeeded: [succeeded(5)],
    failed: [failed(10)],
    after: noBackoff,
  },
  {
    name: 'failures after a success count',
    before: { failures: 5, lastFailureMs: seconds(100) },
    succeeded: [succeeded(15)],
    failed: [failed(20), failed(10), failed(5)],
    after: { failures: 2, lastFailureMs: seconds(5) },
  },
])('Failures in a row: $name', ({ before, succeeded, failed, after }) => {
  expect(nextBackoff(before, succeeded, failed)).toEqual(after);
});

test.each([
  { failures: 0, sinceS: 0, waitsS: 0 },
  { failures: 1, sinceS: 0, waitsS: 10 },
  { failures: 1, sinceS: 4, waitsS: 6 },
  { failures: 1, sinceS: 11, waitsS: 0 },
  { failures: 2, sinceS: 0, waitsS: 20 },
  { failures: 6, sinceS: 0, waitsS: 320 },
  { failures: 7, sinceS: 0, waitsS: 600 },
  { failures: 5000, sinceS: 0, waitsS: 600 },
])('After $failures failures, the last one $sinceS s ago, a Job waits $waitsS s', ({ failures, sinceS, waitsS }) => {
  expect(remainingMs({ failures, lastFailureMs: seconds(sinceS) }, nowMs)).toBe(waitsS * 1000);
});

test.each([
  { name: 'no pod failed', pod: undefined, waitsS: 0 },
  { name: 'the first one did', pod: podOf('a', { phase: 'Failed', finished: 0 }), waitsS: 10 },
  {
    name: 'failures that are ignored count too',
    pod: podOf('a', { phase: 'Failed', finished: 0, failures: 1, ignoredFailures: 1 }),
    waitsS: 40,
  },
])('Each index waits by itself: $name', ({ pod, waitsS }) => {
  expect(remainingOfIndexMs(pod, nowMs)).toBe(waitsS * 1000);
});

const unready = { type: 'Ready', status: 'False', lastTransitionTime: ago(20) } as const;

test.each([
  { name: 'its containers did', pod: podOf('a', { phase: 'Failed', finished: 7 }), at: seconds(7) },
  { name: 'it was no longer ready', pod: podOf('a', { conditions: [unready] }), at: seconds(20) },
  { name: 'its deletion was asked for', pod: podOf('a', { isDeleted: true }), at: nowMs },
  { name: 'it was created', pod: podOf('a', { created: 50 }), at: seconds(50) },
])('A pod ended when $name', ({ pod, at }) => {
  expect(finishedAtMs(pod)).toBe(at);
});
