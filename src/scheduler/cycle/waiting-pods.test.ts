import { expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { CycleState } from '../framework/cycle-state.ts';
import { Status, unschedulable } from '../framework/status.ts';
import { podInfo } from '../testing/objects.ts';
import { WaitingPods } from './waiting-pods.ts';

const waits = (name: string, timeoutMs: number) => ({
  name,
  permit: () => ({ status: new Status('Wait', name), timeoutMs }),
});
const refuses = { name: 'No', permit: () => ({ status: unschedulable('No', 'not here') }) };
const allows = { name: 'Yes', permit: () => undefined };
const begin = (...plugins: (ReturnType<typeof waits> | typeof refuses | typeof allows)[]) => {
  const clock = new FakeClock();
  const pods = new WaitingPods(clock);
  const { status, later } = pods.permit(plugins, new CycleState(), podInfo(), 'n');
  return { clock, pods, status, later, pod: pods.get('default/p') };
};

test('A pod that every plugin allows does not wait', () => {
  expect(begin(allows)).toMatchObject({ status: undefined, later: undefined, pod: undefined });
});

test('A pod that one plugin refuses does not wait', () => {
  expect(begin(waits('A', 1000), refuses).status?.message).toBe('not here');
});

test('A pod goes on when all have allowed it', async () => {
  const { later, pod, pods } = begin(waits('A', 1000), waits('B', 1000));
  for (const name of ['A', 'B']) pod!.allow(name);
  expect(await later).toBeUndefined();
  expect([...pods.values()]).toEqual([]);
});

test('A pod is refused when one of them refuses it', async () => {
  const { later, pod } = begin(waits('A', 1000), waits('B', 1000));
  pod!.allow('A');
  pod!.reject('B', 'no longer');
  expect(await later).toMatchObject({ code: 'Unschedulable', plugin: 'B', reasons: ['no longer'] });
});

test('A pod is refused when its time is over', async () => {
  const { later, clock } = begin(waits('A', 5000), waits('B', 1000));
  await clock.advance(1000);
  expect(await later).toMatchObject({ plugin: 'B', reasons: ['rejected due to timeout after waiting 1s at plugin B'] });
  expect(clock.pending).toBe(0);
});

test('No pod waits after a stop', async () => {
  const { later, pods, clock } = begin(waits('A', 5000));
  pods.rejectAll();
  expect((await later)?.isRejected).toBe(true);
  expect(clock.pending).toBe(0);
});
