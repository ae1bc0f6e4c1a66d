import { describe, expect, it } from 'vitest';
import { testNow } from '../../../../test/support/kind-rules.ts';
import { pods, pod, type Json } from './testing/pods.ts';

describe('columns of a pod', () => {
  const running = {
    phase: 'Running',
    podIP: '10.0.0.1',
    podIPs: [{ ip: '10.0.0.1' }],
    startTime: testNow.toISOString().replace('.000', ''),
  };
  const status = (containerStatuses: Json[], rest: Json = {}): Json => ({
    ...pod({ nodeName: 'n' }),
    status: { ...running, containerStatuses, ...rest },
  });
  it.each([
    {
      name: 'new',
      json: { ...pod(), status: { phase: 'Pending' } },
      cells: ['web', '0/1', 'Pending', '0', '<unknown>', '<none>', '<none>', '<none>', '<none>'],
    },
    {
      name: 'running',
      json: status([{ name: 'app', ready: true, restartCount: 0, state: { running: {} } }]),
      cells: ['web', '1/1', 'Running', '0', '<unknown>', '10.0.0.1', 'n', '<none>', '<none>'],
    },
    {
      name: 'restarting',
      json: status([
        {
          name: 'app',
          ready: false,
          restartCount: 2,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-02T03:03:05Z' } },
        },
      ]),
      cells: ['web', '0/1', 'CrashLoopBackOff', '2 (60s ago)', '<unknown>', '10.0.0.1', 'n', '<none>', '<none>'],
    },
    {
      name: 'ended by a signal',
      json: status([
        { name: 'app', ready: false, restartCount: 0, state: { terminated: { exitCode: 137, signal: 9 } } },
      ]),
      cells: ['web', '0/1', 'Signal:9', '0', '<unknown>', '10.0.0.1', 'n', '<none>', '<none>'],
    },
    {
      name: 'evicted',
      json: status([], { phase: 'Failed', reason: 'Evicted' }),
      cells: ['web', '0/1', 'Evicted', '0', '<unknown>', '10.0.0.1', 'n', '<none>', '<none>'],
    },
    {
      name: 'going',
      json: { ...pod({}, { deletionTimestamp: '2026-01-02T03:04:05Z' }), status: { phase: 'Running' } },
      cells: ['web', '0/1', 'Terminating', '0', '<unknown>', '<none>', '<none>', '<none>', '<none>'],
    },
    {
      name: 'on a node that is lost',
      json: {
        ...pod({}, { deletionTimestamp: '2026-01-02T03:04:05Z' }),
        status: { phase: 'Running', reason: 'NodeLost' },
      },
      cells: ['web', '0/1', 'Unknown', '0', '<unknown>', '<none>', '<none>', '<none>', '<none>'],
    },
    {
      name: 'starting up',
      json: {
        ...pod({
          initContainers: [
            { name: 'a', image: 'i' },
            { name: 'b', image: 'i' },
          ],
        }),
        status: {
          phase: 'Pending',
          initContainerStatuses: [
            { name: 'a', state: { terminated: { exitCode: 0 } } },
            { name: 'b', state: { running: {} } },
          ],
        },
      },
      cells: ['web', '0/1', 'Init:1/2', '0', '<unknown>', '<none>', '<none>', '<none>', '<none>'],
    },
  ])('Columns of a pod when $name', ({ json, cells }) => {
    expect(pods.cells(json)).toEqual(cells);
  });
});
