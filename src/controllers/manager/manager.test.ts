import { expect, test } from 'vitest';
import type { Client } from '../../client/index.ts';
import type { Logger } from '../../base/logger.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import type { SharedInformers } from '../../client/shared-informers.ts';
import type { StartController } from './context.ts';
import type { ControllerDefinition } from './controller-table.ts';
import { type ControllerManagerConfig, startControllers } from './manager.ts';
import { defaultControllerManagerOptions } from './options.ts';

const definition = (name: string, start: StartController | undefined, more: Partial<ControllerDefinition> = {}) => ({
  name,
  aliases: [],
  isDefault: true,
  gates: [],
  isCloud: false,
  account: name,
  ...(start === undefined ? {} : { load: () => Promise.resolve(start) }),
  ...more,
});

function setUp(controllers: readonly ControllerDefinition[], more: Partial<ControllerManagerConfig> = {}) {
  const clock = new FakeClock();
  const warnings: object[] = [];
  const restarts: string[] = [];
  const log: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (details, message) => warnings.push({ ...details, message }),
    error: () => undefined,
  };
  const manager = startControllers({
    // Controllers of this test ask for nothing.
    clientFor: () => ({ core: { v1: {} } }) as unknown as Client,
    informers: {} as SharedInformers,
    options: defaultControllerManagerOptions,
    controllers,
    clock,
    log,
    onRestart: (name) => restarts.push(name),
    ...more,
  });
  return { manager, clock, warnings, restarts };
}

test('A controller that throws at its start is started again later each time, and others go on', async () => {
  let starts = 0;
  const { manager, clock, restarts } = setUp([
    definition('broken', () => {
      starts++;
      throw new Error('no');
    }),
    definition('sound', () => undefined),
  ]);
  await clock.advance(0);
  expect(manager.status().map(({ name, state }) => `${name} ${state}`)).toEqual(['broken failed', 'sound running']);
  await clock.advance(1000);
  await clock.advance(2000);
  expect(starts).toBe(3);
  expect(restarts).toEqual(['broken', 'broken']);
  expect(manager.status()[0]).toMatchObject({ state: 'failed', restarts: 2, reason: new Error('no') });
  await manager.stop();
  expect(manager.status().map(({ state }) => state)).toEqual(['stopped', 'stopped']);
});

test('A controller that fails later is ended, and what it opened is closed before it starts again', async () => {
  const events: string[] = [];
  let fail: (error: unknown) => void = () => undefined;
  const { manager, clock } = setUp([
    definition('late', (context) => {
      events.push('start');
      context.onStop(() => void events.push('stop'));
      ({ fail } = context);
    }),
  ]);
  await clock.advance(0);
  fail(new Error('lost'));
  await clock.advance(0);
  expect(events).toEqual(['start', 'stop']);
  await clock.advance(1000);
  expect(events).toEqual(['start', 'stop', 'start']);
  await manager.stop();
});

test('A controller whose work does not end is blocked after ten minutes, and is started again', async () => {
  let starts = 0;
  const { manager, clock, restarts } = setUp([
    definition('blocked', (context) => {
      starts++;
      const controller = context.work({
        queue: 'blocked',
        workers: 1,
        triggers: [],
        sync: () => new Promise(() => undefined),
      });
      controller.add('key');
    }),
  ]);
  await clock.advance(0);
  await clock.advance(10 * 60_000 - 1);
  expect(starts).toBe(1);
  // Its work is given ten seconds to end, and the next run a second.
  for (const ms of [1, 10_000, 1000]) await clock.advance(ms);
  expect([starts, restarts]).toEqual([2, ['blocked']]);
  const stopped = manager.stop();
  await clock.advance(0);
  await clock.advance(10_000);
  await stopped;
});

test.each([
  { name: 'selected', more: {}, warned: true },
  { name: 'behind a gate that is off', more: { gates: ['VolumeAttributesClass'] }, warned: false },
  { name: 'of a cloud', more: { isCloud: true }, warned: false },
  { name: 'left off by the star', more: { isDefault: false }, warned: false },
])('A controller without code that is $name leads to a warning: $warned', async ({ more, warned }) => {
  const { manager, warnings } = setUp([definition('missing', undefined, more)]);
  const warning = { controller: 'missing', message: 'this controller is not implemented yet' };
  expect(warnings).toEqual(warned ? [warning] : []);
  expect(manager.status()).toEqual([]);
  await manager.stop();
});
