import { describe, expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../api/gen/types/core-v1.ts';
import { silentLogger } from '../../base/logger.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import type { Client } from '../../client/client.ts';
import { notFound } from '../../machinery/status.ts';
import { podOf } from '../pod-lifecycle/testing/states.ts';
import { StatusWriter } from './status-writer.ts';

/** A writer with an API server that answers as the test says. */
function writing() {
  const clock = new FakeClock();
  const written: PodStatus[] = [];
  const api = { answer: (): Promise<void> => Promise.resolve(), tries: 0 };
  const client = {
    core: {
      v1: {
        pods: {
          namespace: () => ({
            status: {
              async patch(_: string, { strategic }: { strategic: { status: PodStatus } }) {
                api.tries++;
                await api.answer();
                written.push(strategic.status);
              },
            },
          }),
        },
      },
    },
  } as unknown as Client;
  const writer = new StatusWriter({ client, clock, log: silentLogger });
  const pod: Pod = { ...podOf({}), status: {} };
  const set = (phase: NonNullable<PodStatus['phase']>): void => writer.set(pod, { phase }, false);
  return { clock, written, api, writer, set };
}

const phases = (written: readonly PodStatus[]) => written.map(({ phase }) => phase);

describe('Statuses of pods that are written', () => {
  test('While the API server is away for ten minutes the newest status waits, and is written afterwards', async () => {
    const { clock, written, api, set } = writing();
    api.answer = () => Promise.reject(new Error('away'));
    set('Pending');
    for (let minute = 0; minute < 10; minute++) {
      await clock.advance(60_000);
      set(minute % 2 === 0 ? 'Running' : 'Pending');
    }
    set('Running');
    expect(written).toEqual([]);
    // It is asked every ten seconds at most.
    expect(api.tries).toBeLessThan(70);
    api.answer = () => Promise.resolve();
    await clock.advance(10_000);
    expect(phases(written)).toEqual(['Running']);
  });

  test('A status that is set while another one is written is written after it', async () => {
    const { clock, written, api, set } = writing();
    let finish: () => void = () => undefined;
    api.answer = () => new Promise((resolve) => (finish = resolve));
    set('Pending');
    set('Running');
    set('Succeeded');
    finish();
    await clock.advance(0);
    finish();
    await clock.advance(0);
    expect(phases(written)).toEqual(['Pending', 'Succeeded']);
  });

  test('A status is set in the moment in which the last write ends, and is written', async () => {
    const { clock, written, set, api } = writing();
    api.answer = async () => {
      await Promise.resolve();
    };
    set('Pending');
    for (let turn = 0; turn < 20; turn++) {
      await Promise.resolve();
      set(turn % 2 === 0 ? 'Running' : 'Pending');
    }
    set('Succeeded');
    await clock.advance(0);
    expect(phases(written).at(-1)).toBe('Succeeded');
  });

  test('The status of a pod that is gone is not written again', async () => {
    const { clock, api, set } = writing();
    api.answer = () => Promise.reject(notFound({ group: '', resource: 'pods' }, 'web'));
    set('Pending');
    await clock.advance(60_000);
    set('Running');
    await clock.advance(60_000);
    expect(api.tries).toBe(1);
  });
});
