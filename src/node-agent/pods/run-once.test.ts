import { expect, test } from 'vitest';
import type { ContainerState, Pod } from '../../api/gen/types/core-v1.ts';
import { podsThatDoNotRun } from './run-once.ts';

const podWith = (phase: string, ...states: ContainerState[]): Pod =>
  ({
    metadata: { name: 'web' },
    spec: { containers: states.map((_, index) => ({ name: `c${index}` })) },
    status: { phase, containerStatuses: states.map((state, index) => ({ name: `c${index}`, state })) },
  }) as unknown as Pod;

const running = { running: {} } as ContainerState;
const waiting = { waiting: {} } as ContainerState;
const ended = (exitCode: number) => ({ terminated: { exitCode } }) as ContainerState;

test.each<{ name: string; pods: Pod[]; left: string[] }>([
  { name: 'there are none', pods: [], left: [] },
  { name: 'all containers run', pods: [podWith('Running', running, running)], left: [] },
  { name: 'one waits', pods: [podWith('Running', running, waiting)], left: ['web'] },
  { name: 'one has ended well', pods: [podWith('Running', running, ended(0))], left: [] },
  { name: 'one has failed', pods: [podWith('Running', running, ended(1))], left: ['web'] },
  { name: 'the pod has done its work', pods: [podWith('Succeeded', ended(0))], left: [] },
  { name: 'the pod has not begun', pods: [podWith('Pending')], left: ['web'] },
])('Pods that do not run where $name are $left', ({ pods, left }) => {
  expect(podsThatDoNotRun(pods)).toEqual(left);
});
