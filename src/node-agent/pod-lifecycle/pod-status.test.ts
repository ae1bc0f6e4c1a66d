import { describe, expect, test } from 'vitest';
import type { PodCondition } from '../../api/gen/types/core-v1.ts';
import { deadlineExceeded, untilDeadline } from './deadline.ts';
import { podStatus, type PodStatusInput } from './pod-status.ts';
import { exited, exitedInstance, podOf, type PodShape, running, stateOf } from './testing/states.ts';

interface Shape extends Partial<Omit<PodStatusInput, 'pod' | 'state'>> {
  readonly pod?: PodShape;
  readonly state?: Parameters<typeof stateOf>[0];
  readonly sandbox?: Parameters<typeof stateOf>[1];
}

const statusOf = ({ pod = {}, state = {}, sandbox, ...more }: Shape) =>
  podStatus({
    pod: podOf(pod),
    state: stateOf(state, sandbox),
    stage: 'alive',
    nowMs: 5000,
    startTimeMs: 1000,
    hostIPs: ['192.0.2.1'],
    conditions: [],
    ...more,
  });

const shown = (conditions: readonly PodCondition[] = []): string[] =>
  conditions.map(({ type, status, reason }) => `${type}=${status}${reason === undefined ? '' : ` ${reason}`}`);

describe('Pod phase', () => {
  const waiting = { restartCount: 1, newest: exitedInstance(1), waiting: { reason: 'CrashLoopBackOff' } };

  test.each<{ name: string; phase: string } & Shape>([
    { name: 'nothing was made', phase: 'Pending' },
    { name: 'one of two runs', pod: { main: ['a', 'b'] }, state: { a: running() }, phase: 'Pending' },
    { name: 'all run', state: { main: running() }, phase: 'Running' },
    {
      name: 'one runs, one has ended',
      pod: { main: ['a', 'b'], restartPolicy: 'Never' },
      state: { a: running(), b: exited(1) },
      phase: 'Running',
    },
    { name: 'all have ended, Always', state: { main: exited(0) }, phase: 'Running' },
    { name: 'all back off', state: { main: waiting }, phase: 'Running' },
    {
      name: 'all have succeeded, OnFailure',
      pod: { restartPolicy: 'OnFailure' },
      state: { main: exited(0) },
      phase: 'Succeeded',
    },
    {
      name: 'one failed, OnFailure',
      pod: { restartPolicy: 'OnFailure' },
      state: { main: exited(1) },
      phase: 'Running',
    },
    {
      name: 'one failed, Never',
      pod: { restartPolicy: 'Never', main: ['a', 'b'] },
      state: { a: exited(0), b: exited(1) },
      phase: 'Failed',
    },
    {
      name: 'all have succeeded, Never',
      pod: { restartPolicy: 'Never' },
      state: { main: exited(0) },
      phase: 'Succeeded',
    },
    {
      name: 'an init container failed, Never',
      pod: { init: ['one'], restartPolicy: 'Never' },
      state: { one: exited(1) },
      phase: 'Failed',
    },
    { name: 'an init container failed, Always', pod: { init: ['one'] }, state: { one: exited(1) }, phase: 'Pending' },
    {
      name: 'a sidecar has not started',
      pod: { init: ['side'] },
      state: { side: running({ isStarted: false }) },
      phase: 'Pending',
    },
    {
      name: 'a sidecar starts again while the pod runs',
      pod: { init: ['side'] },
      state: { side: running({ isStarted: false }), main: running() },
      phase: 'Running',
    },
    {
      name: 'a sidecar failed, the rest succeeded',
      pod: { init: ['side'], restartPolicy: 'Never' },
      state: { side: exited(1), main: exited(0) },
      phase: 'Succeeded',
    },
    {
      name: 'a deleted pod whose containers ended well',
      state: { main: exited(0) },
      stage: 'ended',
      phase: 'Succeeded',
    },
    { name: 'a deleted pod with a failure', state: { main: exited(137) }, stage: 'ended', phase: 'Failed' },
    { name: 'a deleted pod that never started', stage: 'ended', phase: 'Failed' },
    {
      name: 'a pod beyond its deadline',
      state: { main: running() },
      end: deadlineExceeded,
      stage: 'ending',
      phase: 'Failed',
    },
  ])('Pod phase: $name: $phase', ({ phase, name: _, ...shape }) => {
    expect(statusOf(shape).phase).toBe(phase);
  });
});

describe('Pod conditions', () => {
  const gates = { spec: { readinessGates: [{ conditionType: 'example.com/a' }, { conditionType: 'example.com/b' }] } };
  const gate = (type: string, status: string): PodCondition => ({ type, status });

  test.each<{ name: string; message: string } & Shape>([
    {
      name: 'gates without conditions',
      conditions: [],
      message:
        'corresponding condition of pod readiness gate "example.com/a" does not exist., ' +
        'corresponding condition of pod readiness gate "example.com/b" does not exist.',
    },
    {
      name: 'a gate that is not true',
      conditions: [gate('example.com/a', 'True'), gate('example.com/b', 'Unknown')],
      message: 'the status of pod readiness gate "example.com/b" is not "True", but Unknown',
    },
  ])('Ready is False with $name', ({ conditions = [], message }) => {
    const { conditions: found = [] } = statusOf({ pod: gates, state: { main: running() }, conditions });
    expect(found.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message,
    });
    expect(found.find(({ type }) => type === 'ContainersReady')).toMatchObject({ status: 'True' });
  });

  test('Ready is True when all gates are, and conditions of others stand first', () => {
    const conditions = [gate('example.com/a', 'True'), gate('example.com/b', 'True')];
    expect(shown(statusOf({ pod: gates, state: { main: running() }, conditions }).conditions)).toEqual([
      'example.com/a=True',
      'example.com/b=True',
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=True',
      'ContainersReady=True',
      'PodScheduled=True',
    ]);
  });

  test('The time of a condition changes with its status alone', () => {
    const before = (type: string, status: string): PodCondition => ({
      type,
      status,
      reason: 'Old',
      lastTransitionTime: '1970-01-01T00:00:02Z',
    });
    const conditions = [before('Ready', 'False'), before('ContainersReady', 'True'), before('PodScheduled', 'True')];
    const { conditions: found = [] } = statusOf({ state: { main: running({ isReady: false }) }, conditions });
    const times = Object.fromEntries(found.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]));
    expect(times).toMatchObject({
      Ready: '1970-01-01T00:00:02Z',
      ContainersReady: '1970-01-01T00:00:05Z',
      PodScheduled: '1970-01-01T00:00:02Z',
      Initialized: '1970-01-01T00:00:05Z',
    });
    expect(found.find(({ type }) => type === 'Ready')).toMatchObject({ reason: 'ContainersNotReady' });
  });
});

describe('addresses and times', () => {
  test('A pod has the addresses of its sandbox', () => {
    expect(statusOf({ state: { main: running() } })).toMatchObject({
      hostIP: '192.0.2.1',
      podIP: '10.0.0.1',
      podIPs: [{ ip: '10.0.0.1' }],
      startTime: '1970-01-01T00:00:01Z',
    });
  });

  test('A pod on the network of its node has the addresses of the node from the beginning', () => {
    const status = statusOf({ pod: { spec: { hostNetwork: true } }, sandbox: 'none' });
    expect(status.podIP).toBe('192.0.2.1');
  });

  test.each([
    { name: 'without a deadline', spec: {}, startTimeMs: 0, left: undefined },
    { name: 'before its start', spec: { activeDeadlineSeconds: 5 }, startTimeMs: undefined, left: undefined },
    { name: 'before its deadline', spec: { activeDeadlineSeconds: 5 }, startTimeMs: 1000, left: 2000 },
    { name: 'after its deadline', spec: { activeDeadlineSeconds: 2 }, startTimeMs: 1000, left: 0 },
  ])('Addresses and times of a pod: $name', ({ spec, startTimeMs, left }) => {
    expect(untilDeadline({ ...podOf({}).spec, ...spec }, startTimeMs, 4000)).toBe(left);
  });
});

describe('the last status', () => {
  const unknown = { exitCode: 137, reason: 'ContainerStatusUnknown' };

  test.each<{ name: string; init?: object; main: object } & Shape>([
    { name: 'a container that never started', main: { terminated: unknown } },
    { name: 'a container that runs as far as is known', state: { main: running() }, main: { terminated: unknown } },
    { name: 'a container that has ended', state: { main: exited(3) }, main: { terminated: { exitCode: 3 } } },
    {
      name: 'a container whose turn did not come',
      pod: { init: ['one'] },
      state: { one: exited(1) },
      init: { terminated: { exitCode: 1 } },
      main: { waiting: { reason: 'PodInitializing' } },
    },
    {
      name: 'a container that could have started',
      pod: { init: ['one'] },
      state: { one: exited(0) },
      init: { terminated: { exitCode: 0 } },
      main: { terminated: unknown },
    },
    {
      name: 'an init container that never ended',
      pod: { init: ['one', 'two'] },
      state: { one: running() },
      init: { terminated: unknown },
      main: { waiting: { reason: 'PodInitializing' } },
    },
  ])('The last status of a container: $name', ({ name: _, init, main, ...shape }) => {
    const status = statusOf({ ...shape, stage: 'ended', sandbox: 'stopped' });
    expect(status.containerStatuses![0]!.state).toMatchObject(main);
    if (init !== undefined) expect(status.initContainerStatuses![0]!.state).toMatchObject(init);
  });
});
