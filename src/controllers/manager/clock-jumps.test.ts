import { expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import type { Client } from '../../client/index.ts';
import type { SharedInformers } from '../../client/shared-informers.ts';
import { startControllers } from './manager.ts';
import { defaultControllerManagerOptions } from './options.ts';

const hourMs = 3_600_000;

/** One controller, whose key is due an hour after the start by the wall time. The times at which it is looked at. */
async function looksOf(jumpMs: number): Promise<number[]> {
  const clock = new FakeClock();
  let jumpedMs = 0;
  const wallTime = (): number => clock.now() + jumpedMs;
  const looks: number[] = [];
  const manager = startControllers({
    clientFor: () => ({ core: { v1: {} } }) as unknown as Client,
    informers: {} as SharedInformers,
    options: defaultControllerManagerOptions,
    clock,
    wallTime,
    controllers: [
      {
        ...{ name: 'daily', aliases: [], isDefault: true, gates: [], isCloud: false, account: 'daily' },
        load: () =>
          Promise.resolve((context) => {
            const queue = context.work({
              ...{ queue: 'daily', workers: 1, triggers: [] },
              async sync() {
                looks.push(clock.now());
                const leftMs = hourMs - context.wallTime();
                return leftMs <= 0 ? undefined : { requeueAfterMs: leftMs };
              },
            });
            queue.add('a');
          }),
      },
    ],
  });
  await clock.advance(0);
  await clock.advance(15_000);
  jumpedMs = jumpMs;
  await clock.advance(3 * hourMs);
  await manager.stop();
  expect(clock.pending).toBe(0);
  return looks;
}

test.each([
  { name: 'is set forward by more than an hour: what is due is looked at', jumpMs: 2 * hourMs, looks: [0, 20_000] },
  {
    name: 'is set forward by half an hour: the rest is waited for',
    jumpMs: hourMs / 2,
    looks: [0, 20_000, hourMs / 2],
  },
  { name: 'is set back by an hour: it is waited for longer', jumpMs: -hourMs, looks: [0, 20_000, 2 * hourMs] },
  { name: 'is adjusted by half a second: nothing is looked at before its time', jumpMs: 500, looks: [0, hourMs] },
])('The wall time $name', async ({ jumpMs, looks }) => {
  expect(await looksOf(jumpMs)).toEqual(looks);
});
