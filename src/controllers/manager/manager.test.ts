import { expect, test, vi } from 'vitest';
import type { Client } from '../../client/index.ts';
import type { Logger } from '../../base/logger.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import type { SharedInformers } from '../../client/shared-informers.ts';
import type { StartController } from './context.ts';
import { type ControllerDefinition, controllerTable } from './controller-table.ts';
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

test('Only the life cycle of nodes of a cloud is a name without code', () => {
  const without = controllerTable.filter(({ load }) => load === undefined);
  expect(without.map(({ name }) => name)).toEqual(['cloud-node-lifecycle-controller']);
});

test.each([
  { controller: 'service-lb-controller', message: 'the cloud provider does not support external load balancers' },
  { controller: 'node-route-controller', message: 'the cloud provider does not support routes' },
])('A cloud provider that does not do what $controller needs leads to a warning', async ({ controller, message }) => {
  const cloud = controllerTable.filter(({ name }) => name === controller);
  const { manager, warnings } = setUp(cloud, { cloud: {} });
  await vi.waitFor(() => expect(warnings).toEqual([{ controller, message }]));
  expect(manager.status()).toMatchObject([{ name: controller, state: 'running' }]);
  await manager.stop();
});

test.each([
  { name: 'is named', controllers: ['service-lb-controller'], warned: true },
  { name: 'is named by its alias', controllers: ['service', '*'], warned: true },
  { name: 'is one of those that the star stands for', controllers: ['*'], warned: false },
  { name: 'is excluded', controllers: ['*', '-service-lb-controller'], warned: false },
])(
  'A controller that needs a cloud provider and $name leads to a warning: $warned',
  async ({ controllers, warned }) => {
    const cloud = controllerTable.filter(({ name }) => name === 'service-lb-controller');
    const generic = { ...defaultControllerManagerOptions.generic, controllers };
    const { manager, warnings } = setUp(cloud, { options: { ...defaultControllerManagerOptions, generic } });
    const message = 'this controller does nothing: it needs a cloud provider, and there is none';
    expect(warnings).toEqual(warned ? [{ controller: 'service-lb-controller', message }] : []);
    expect(manager.status()).toEqual([]);
    await manager.stop();
  },
);
