import { describe, expect, test } from 'vitest';
import type { PodStatus } from '../../api/gen/types/core-v1.ts';
import { pod } from '../testing/objects.ts';
import { type SchedulingFailure, statusPatch } from './failure.ts';
import { truncated } from './pod-events.ts';

const now = '2026-01-02T00:00:00Z';
const before = '2026-01-01T00:00:00Z';
const refused = (message: string) => ({
  type: 'PodScheduled' as const,
  status: 'False' as const,
  reason: 'Unschedulable',
  message,
  lastTransitionTime: before,
});
const { lastTransitionTime: _, ...condition } = refused('why');

describe('the patch of the status of a pod that was refused', () => {
  test.each<{ name: string; status: Partial<PodStatus>; nominated?: string; patch: object | undefined }>([
    { name: 'says why', status: {}, patch: { conditions: [{ ...condition, lastTransitionTime: now }] } },
    {
      name: 'keeps the time since which it is refused',
      status: { conditions: [refused('other')] },
      patch: { conditions: [{ ...condition, lastTransitionTime: before }] },
    },
    { name: 'is none when nothing is new', status: { conditions: [refused('why')] }, patch: undefined },
    {
      name: 'names the node that it waits for',
      status: { conditions: [refused('why')] },
      nominated: 'n',
      patch: { nominatedNodeName: 'n' },
    },
    {
      name: 'takes the name of the node back',
      status: { conditions: [refused('why')], nominatedNodeName: 'n' },
      nominated: '',
      patch: { nominatedNodeName: null },
    },
    {
      name: 'leaves the name of the node',
      status: { conditions: [refused('why')], nominatedNodeName: 'n' },
      patch: undefined,
    },
  ])('The patch of the status of a pod that was refused: $name', ({ status, nominated, patch }) => {
    const failure: SchedulingFailure = {
      reason: 'Unschedulable',
      message: 'why',
      unschedulablePlugins: new Set(),
      pendingPlugins: new Set(),
      nominatedNodeName: nominated,
    };
    expect(statusPatch(pod({ status }), failure, now)).toEqual(patch && { status: patch });
  });
});

test.each([
  { name: 'a short note is kept', note: 'x'.repeat(1024), is: 'x'.repeat(1024) },
  { name: 'a long note is cut', note: 'x'.repeat(1025), is: `${'x'.repeat(1020)} ...` },
  { name: 'no character is cut in two', note: `${'x'.repeat(1019)}äöü`, is: `${'x'.repeat(1019)} ...` },
])('A note of an event: $name', ({ note, is }) => expect(truncated(note)).toBe(is));
