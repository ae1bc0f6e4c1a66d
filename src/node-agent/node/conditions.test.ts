import { describe, expect, test } from 'vitest';
import type { NodeCondition } from '../../api/gen/types/core-v1.ts';
import { nextConditions, noPressure } from './conditions.ts';

const t1 = '2026-01-01T00:00:00Z';
const t2 = '2026-01-01T00:00:10Z';

const next = (before: readonly NodeCondition[], problems: readonly string[] = []) =>
  nextConditions(before, noPressure, problems, t2);
const first = nextConditions([], noPressure, [], t1);

describe('the conditions of a node', () => {
  test('A node that is well has four of them, in this order', () => {
    expect(first.conditions.map(({ type, status, reason, message }) => [type, status, reason, message])).toEqual([
      ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
      ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
      ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
      ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
    ]);
    expect(first.events).toEqual([
      'NodeHasSufficientMemory',
      'NodeHasNoDiskPressure',
      'NodeHasSufficientPID',
      'NodeReady',
    ]);
  });

  test('Without a change the time of the transition stays, and no event is told', () => {
    const { conditions, events } = next(first.conditions);
    expect(
      conditions.map(({ lastHeartbeatTime, lastTransitionTime }) => [lastHeartbeatTime, lastTransitionTime]),
    ).toEqual(Array.from({ length: 4 }, () => [t2, t1]));
    expect(events).toEqual([]);
  });

  test.each([
    { problems: ['container runtime is down'], message: 'container runtime is down' },
    {
      problems: ['container runtime is down', 'PLEG is not healthy'],
      message: '[container runtime is down, PLEG is not healthy]',
    },
  ])('A node with the problems $problems is not ready', ({ problems, message }) => {
    const { conditions, events } = next(first.conditions, problems);
    expect(conditions[3]).toMatchObject({
      type: 'Ready',
      status: 'False',
      reason: 'KubeletNotReady',
      message,
      lastTransitionTime: t2,
    });
    expect(events).toEqual(['NodeNotReady']);
  });

  test('Pressure has its own reasons', () => {
    const { conditions } = nextConditions([], { memory: true, disk: true, pid: true }, [], t1);
    expect(conditions.slice(0, 3).map(({ status, reason, message }) => [status, reason, message])).toEqual([
      ['True', 'KubeletHasInsufficientMemory', 'kubelet has insufficient memory available'],
      ['True', 'KubeletHasDiskPressure', 'kubelet has disk pressure'],
      ['True', 'KubeletHasInsufficientPID', 'kubelet has insufficient PID available'],
    ]);
  });

  test('Conditions of others stay in front', () => {
    const other = { type: 'NetworkUnavailable', status: 'False' } as NodeCondition;
    expect(next([...first.conditions, other]).conditions[0]).toBe(other);
  });
});
