import { expect, test } from 'vitest';
import type { PersistentVolume } from '../../api/gen/types/core-v1.ts';
import { finalizer, protectedVolume } from './sync.ts';

const other = 'example.com/mine';

const volume = (phase: string | undefined, finalizers: readonly string[] | undefined, isEnding = false) =>
  ({
    metadata: {
      name: 'a',
      ...(finalizers && { finalizers }),
      ...(isEnding ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: {},
    status: phase === undefined ? {} : { phase },
  }) as unknown as PersistentVolume;

interface Row {
  readonly name: string;
  readonly before: PersistentVolume;
  /** Undefined when nothing is written. */
  readonly finalizers: readonly string[] | undefined;
}

test.each<Row>([
  { name: 'that is new', before: volume(undefined, undefined), finalizers: [finalizer] },
  { name: 'that has others', before: volume('Bound', [other]), finalizers: [other, finalizer] },
  { name: 'that has it', before: volume('Bound', [finalizer]), finalizers: undefined },
  { name: 'that is free and being deleted', before: volume('Available', [finalizer], true), finalizers: [] },
  {
    name: 'that is released and being deleted',
    before: volume('Released', [finalizer, other], true),
    finalizers: [other],
  },
  { name: 'that has failed and is being deleted', before: volume('Failed', [finalizer], true), finalizers: [] },
  {
    name: 'that was never looked at and is being deleted',
    before: volume(undefined, [finalizer], true),
    finalizers: [],
  },
  { name: 'that a claim has and is being deleted', before: volume('Bound', [finalizer], true), finalizers: undefined },
  { name: 'that is being deleted without it', before: volume('Available', [other], true), finalizers: undefined },
])('Finalizers of a volume $name: $finalizers', ({ before, finalizers }) => {
  expect(protectedVolume(before)?.metadata.finalizers).toEqual(finalizers);
});
