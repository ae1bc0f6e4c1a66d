import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { conflict, notFound } from '../../../machinery/status.ts';
import { retryConflicts } from '../retry-conflicts.ts';
import type { PodResource } from './pod-resource.ts';
import { removePod, writeStatus } from './pod-writer.ts';

const pod = { metadata: { name: 'web', namespace: 'default', uid: 'uid-1' }, spec: {}, status: {} } as Pod;
const { signal } = new AbortController();
const pods = { group: '', resource: 'pods' };

function resource(answer: () => Promise<Pod> = () => Promise.resolve(pod)) {
  const requests: unknown[] = [];
  const recording: PodResource = {
    source: () => {
      throw new Error('not read here');
    },
    patch(_, patch, subresource) {
      requests.push({ patch, subresource });
      return answer();
    },
    delete(_, { signal: __, ...options }) {
      requests.push(options);
      return answer();
    },
  };
  return { recording, requests };
}

describe('writes about pods', () => {
  test('A status is for the uid that was seen, and has the conditions of the node alone', async () => {
    const { recording, requests } = resource();
    const conditions = [
      { type: 'example.com/other', status: 'True' },
      { type: 'Ready', status: 'True' },
    ];
    await writeStatus(recording, pod, { phase: 'Running', conditions }, signal);
    expect(requests).toEqual([
      {
        subresource: 'status',
        patch: {
          strategic: {
            metadata: { uid: 'uid-1' },
            status: {
              '$setElementOrder/conditions': [
                { type: 'PodReadyToStartContainers' },
                { type: 'Initialized' },
                { type: 'Ready' },
                { type: 'ContainersReady' },
                { type: 'PodScheduled' },
              ],
              phase: 'Running',
              conditions: [{ type: 'Ready', status: 'True' }],
            },
          },
        },
      },
    ]);
  });

  test('A pod is removed without grace, for the uid that was seen', async () => {
    const { recording, requests } = resource();
    await removePod(recording, pod, signal);
    expect(requests).toEqual([{ gracePeriodSeconds: 0, preconditions: { uid: 'uid-1' } }]);
  });

  test('A pod that is gone is nothing to write', async () => {
    const { recording } = resource(() => Promise.reject(notFound(pods, 'web')));
    expect(await writeStatus(recording, pod, {}, signal)).toBeUndefined();
    await removePod(recording, pod, signal);
  });

  test('A conflict is tried again, and another failure is told', async () => {
    const { recording } = resource(() => Promise.reject(conflict(pods, 'web', 'uid mismatch')));
    const write = async () => void (await writeStatus(recording, pod, {}, signal));
    await expect(write()).rejects.toMatchObject({ code: 409 });
    expect(await retryConflicts(write().then(() => undefined))).toBe('retry');
    await expect(retryConflicts(Promise.reject(new Error('away')))).rejects.toThrow('away');
  });
});
