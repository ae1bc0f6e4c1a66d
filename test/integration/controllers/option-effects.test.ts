/**
 * What flags of the controller manager lead to in running controllers. Flags whose effect is in a pure part have
 * their rows there.
 */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Pod } from '../../../src/api/gen/types/core-v1.ts';
import { FakeClock } from '../../../src/base/testing/fake-clock.ts';
import { parseFlags } from '../../../src/cmd/flags/parse.ts';
import { completeControllerManager } from '../../../src/cmd/flags/controller-manager/options.ts';
import { controllerManagerFlags } from '../../../src/cmd/flags/controller-manager/table.ts';
import type { ControllerContext, WorkOptions } from '../../../src/controllers/manager/context.ts';
import { type ControllerDefinition, controllerTable } from '../../../src/controllers/manager/controller-table.ts';
import { startControllers } from '../../../src/controllers/manager/manager.ts';
import type { ControllerManagerOptions } from '../../../src/controllers/manager/options.ts';
import { type ClientServer, startClientServer } from '../client/client-server.ts';

let server: ClientServer;
let directory: string;
let keyFile: string;
beforeAll(async () => {
  server = await startClientServer({ settled: true });
  directory = await mkdtemp(path.join(tmpdir(), 'orch-options-'));
  keyFile = path.join(directory, 'accounts.key');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  await writeFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

function optionsOf(argv: readonly string[]): ControllerManagerOptions {
  const { options, given } = parseFlags(controllerManagerFlags, argv);
  return completeControllerManager(options, given, 'controller-manager').controllers;
}

/** Each number of workers is another one. */
const workers: readonly { readonly flag: string; readonly queues: readonly string[] }[] = [
  { flag: 'concurrent-cron-job-syncs', queues: ['cronjob'] },
  { flag: 'concurrent-daemonset-syncs', queues: ['daemonset'] },
  { flag: 'concurrent-deployment-syncs', queues: ['deployment'] },
  { flag: 'concurrent-endpoint-syncs', queues: ['endpoint'] },
  { flag: 'concurrent-ephemeralvolume-syncs', queues: ['ephemeral_volume'] },
  {
    flag: 'concurrent-gc-syncs',
    queues: ['garbage_collector_attempt_to_delete', 'garbage_collector_attempt_to_orphan'],
  },
  { flag: 'concurrent-horizontal-pod-autoscaler-syncs', queues: ['horizontalpodautoscaler'] },
  { flag: 'concurrent-job-syncs', queues: ['job'] },
  { flag: 'concurrent-namespace-syncs', queues: ['namespace'] },
  { flag: 'concurrent-rc-syncs', queues: ['replicationmanager'] },
  { flag: 'concurrent-replicaset-syncs', queues: ['replicaset'] },
  { flag: 'concurrent-resource-quota-syncs', queues: ['resourcequota_primary', 'resourcequota_priority'] },
  { flag: 'concurrent-service-endpoint-syncs', queues: ['endpoint_slice'] },
  {
    flag: 'concurrent-serviceaccount-token-syncs',
    queues: ['serviceaccount_tokens_secret', 'serviceaccount_tokens_service'],
  },
  { flag: 'concurrent-statefulset-syncs', queues: ['statefulset'] },
  { flag: 'concurrent-ttl-after-finished-syncs', queues: ['ttl_jobs_to_delete'] },
  {
    flag: 'concurrent-validating-admission-policy-status-syncs',
    queues: ['validatingadmissionpolicy-status'],
  },
  { flag: 'mirroring-concurrent-service-endpoint-syncs', queues: ['endpoint_slice_mirroring'] },
];

const periods: readonly { readonly flag: string; readonly controller: string }[] = [
  { flag: 'namespace-sync-period', controller: 'namespace-controller' },
  { flag: 'node-monitor-period', controller: 'node-lifecycle-controller' },
  { flag: 'pvclaimbinder-sync-period', controller: 'persistentvolume-binder-controller' },
  { flag: 'resource-quota-sync-period', controller: 'resourcequota-controller' },
  { flag: 'attach-detach-reconcile-sync-period', controller: 'persistentvolume-attach-detach-controller' },
];

const workersOf = (row: number): number => 20 + row;
const secondsOf = (row: number): number => 3001 + row;

describe('controllers that run', () => {
  const asked = { workers: new Map<string, number>(), periods: new Map<string, number[]>() };

  beforeAll(async () => {
    const options = optionsOf([
      `--service-account-private-key-file=${keyFile}`,
      ...workers.map(({ flag }, i) => `--${flag}=${workersOf(i)}`),
      ...periods.map(({ flag }, i) => `--${flag}=${secondsOf(i)}s`),
    ]);
    const clock = new FakeClock();
    await using manager = startControllers({
      ...{ clientFor: () => server.client, options, clock },
      controllers: controllerTable.map((definition) => watched(definition, asked)),
    });
    await vi.waitFor(() => expect(manager.status().filter(({ state }) => state !== 'running')).toEqual([]), 10_000);
  });

  test.each(workers.map((row, i) => ({ ...row, count: workersOf(i) })))(
    'Controllers that run have the workers of --$flag',
    ({ queues, count }) => {
      expect(queues.map((queue) => asked.workers.get(queue))).toEqual(queues.map(() => count));
    },
  );

  test.each(periods.map((row, i) => ({ ...row, periodMs: secondsOf(i) * 1000 })))(
    'Controllers that run look at everything after each --$flag',
    ({ controller, periodMs }) => {
      expect(asked.periods.get(controller)).toContain(periodMs);
    },
  );

  test('Controllers that run have a flag for the workers of each queue that has more than one', () => {
    const named = new Set(workers.flatMap(({ queues }) => queues));
    const others = [...asked.workers].filter(([queue, count]) => count >= workersOf(0) && !named.has(queue));
    expect(others).toEqual([]);
  });
});

/** The controller, with what it asks for written down. */
function watched(
  { load, ...definition }: ControllerDefinition,
  asked: { readonly workers: Map<string, number>; readonly periods: Map<string, number[]> },
): ControllerDefinition {
  if (load === undefined) return definition;
  const watch = (context: ControllerContext): ControllerContext => ({
    ...context,
    work(options: WorkOptions) {
      asked.workers.set(options.queue, options.workers);
      return context.work(options);
    },
    every(periodMs, run, firstMs) {
      asked.periods.set(context.name, [...(asked.periods.get(context.name) ?? []), periodMs]);
      context.every(periodMs, run, firstMs);
    },
  });
  return {
    ...definition,
    async load() {
      const start = await load();
      return (context) => start(watch(context));
    },
  };
}

/** The time of day goes with the clock: what differs is taken for a clock that was set. */
const clockOf =
  (clock: FakeClock, startMs = Date.now()) =>
  () =>
    startMs + clock.now();

/** A controller of the test alone. */
const own = (name: string, start: (context: ControllerContext) => void): ControllerDefinition => ({
  ...{ name, aliases: [], isDefault: true, gates: [], isCloud: false, account: name },
  load: () => Promise.resolve(start),
});

test('With --controller-start-interval controllers start one after the other', async () => {
  const clock = new FakeClock();
  const started: string[] = [];
  const controllers = ['a', 'b', 'c'].map((name) => own(name, () => void started.push(name)));
  const options = optionsOf(['--controller-start-interval=10s']);
  await using _ = startControllers({ clientFor: () => server.client, options, clock, controllers });
  await clock.advance(0);
  expect(started).toEqual(['a']);
  await clock.advance(10_000);
  expect(started).toEqual(['a', 'b']);
  await clock.advance(10_000);
  expect(started).toEqual(['a', 'b', 'c']);
});

test('After --min-resync-period, up to twice, each object is looked at again', async () => {
  const clock = new FakeClock();
  const seen: string[] = [];
  const look = own('look', (context) => {
    const namespaces = context.informer(context.client.core.v1.namespaces);
    context.handle(namespaces, {
      onAdd: ({ metadata }) => void seen.push(`new ${metadata.name}`),
      onUpdate: (before, after) => void (before === after && seen.push(`again ${after.metadata.name}`)),
    });
  });
  const options = optionsOf(['--min-resync-period=1h']);
  const config = { clientFor: () => server.client, options, clock, random: () => 0.5 };
  await using _ = startControllers({ ...config, controllers: [look] });
  await expect.poll(() => seen).toContain('new default');
  await clock.advance(5_390_000);
  expect(seen).not.toContain('again default');
  await clock.advance(20_000);
  expect(seen).toContain('again default');
});

test('With --enable-garbage-collector=false nothing is collected, and a warning says so', async () => {
  const warnings: string[] = [];
  const ignore = (): void => undefined;
  const log = {
    debug: ignore,
    info: ignore,
    error: ignore,
    warn: (_: object, text: string) => void warnings.push(text),
  };
  const options = optionsOf(['--enable-garbage-collector=false', '--controllers=garbage-collector-controller']);
  await using manager = startControllers({ clientFor: () => server.client, options, log });
  await expect.poll(() => manager.status().map(({ state }) => state)).toEqual(['running']);
  expect(warnings).toEqual(['the garbage collector is switched off']);
});

describe('the batch periods of endpoints', () => {
  const ready = (name: string, ip: string, nodeName: string): Pod =>
    ({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: 'web' } } },
      spec: { nodeName, containers: [{ name: 'c', image: 'i' }] },
      status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions: [{ type: 'Ready', status: 'True' }] },
    }) as unknown as Pod;

  test.each([
    { flag: 'endpoint-updates-batch-period', controller: 'endpoints-controller' },
    { flag: 'endpointslice-updates-batch-period', controller: 'endpointslice-controller' },
  ])('Pods are told after --$flag, all at once', async ({ flag, controller }) => {
    const { client } = server;
    const namespace = `with-${flag}`;
    await client.core.v1.namespaces.create({ metadata: { name: namespace } });
    await client.core.v1.nodes.create({ metadata: { name: `n-${flag}` } });
    const services = client.core.v1.services.namespace(namespace);
    await services.create({ metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } });
    const addresses = async (): Promise<number> => {
      const endpoints = await client.core.v1.endpoints.namespace(namespace).list();
      const slices = await client.discovery.v1.endpointslices.namespace(namespace).list();
      const subsets = endpoints.items.flatMap((object) => object.subsets ?? []);
      return Math.max(
        subsets.flatMap((subset) => subset.addresses ?? []).length,
        slices.items.flatMap((slice) => slice.endpoints ?? []).length,
      );
    };
    const clock = new FakeClock();
    const told = new Set<string>();
    const tell = ({ metadata, status }: Pod): void =>
      void (status.podIP !== undefined && told.add(metadata.name ?? ''));
    const watching = own('watching', (context) => {
      context.handle(context.informer(client.core.v1.pods), { onAdd: tell, onUpdate: (_, after) => tell(after) });
      context.handle(context.informer(client.discovery.v1.endpointslices), { onUpdate: () => void told.add('slice') });
    });
    const controllers = [...controllerTable.filter(({ name }) => name === controller), watching];
    const options = optionsOf([`--${flag}=30s`]);
    await using _ = startControllers({
      clientFor: () => client,
      options,
      clock,
      wallTime: clockOf(clock),
      controllers,
    });
    const written = async (): Promise<number> =>
      (await client.core.v1.endpoints.namespace(namespace).list()).items.length +
      (await client.discovery.v1.endpointslices.namespace(namespace).list()).items.length;
    await expect.poll(written).toBe(1);
    for (const [name, ip] of [
      ['a', '10.1.0.1'],
      ['b', '10.1.0.2'],
    ] as const) {
      const { status, ...pod } = ready(name, ip, `n-${flag}`);
      const pods = client.core.v1.pods.namespace(namespace);
      await pods.create(pod as Pod);
      await pods.status.patch(name, { merge: { status } });
    }
    await expect.poll(() => [...told].sort()).toEqual(['a', 'b']);
    // What happens to slices is no reason to look at the pods before.
    for (const { metadata } of (await client.discovery.v1.endpointslices.namespace(namespace).list()).items) {
      const changed = { merge: { metadata: { annotations: { changed: 'yes' } } } };
      await client.discovery.v1.endpointslices.namespace(namespace).patch(metadata.name!, changed);
      await expect.poll(() => [...told]).toContain('slice');
    }
    await clock.advance(29_000);
    expect(await addresses()).toBe(0);
    await clock.advance(2000);
    await expect.poll(addresses).toBe(2);
  });

  test('A mirrored slice that is gone is made again after --mirroring-endpointslice-updates-batch-period', async () => {
    const { client } = server;
    await client.core.v1.namespaces.create({ metadata: { name: 'mirrored' } });
    const meta = { metadata: { name: 'web' } };
    await client.core.v1.services.namespace('mirrored').create({ ...meta, spec: { ports: [{ port: 80 }] } });
    const subsets = [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80, protocol: 'TCP' as const }] }];
    await client.core.v1.endpoints.namespace('mirrored').create({ ...meta, subsets });
    const slices = client.discovery.v1.endpointslices.namespace('mirrored');
    const names = async (): Promise<string[]> => (await slices.list()).items.map(({ metadata }) => metadata.name!);
    const gone: string[] = [];
    const watching = own('watching', (context) =>
      context.handle(context.informer(client.discovery.v1.endpointslices), {
        onDelete: ({ metadata }) => void gone.push(metadata.name!),
      }),
    );
    const name = 'endpointslice-mirroring-controller';
    const controllers = [...controllerTable.filter((controller) => controller.name === name), watching];
    const clock = new FakeClock();
    const options = optionsOf(['--mirroring-endpointslice-updates-batch-period=30s']);
    await using _ = startControllers({
      ...{ clientFor: () => client, options, clock, controllers },
      wallTime: clockOf(clock),
    });
    await expect.poll(names).toHaveLength(1);
    // What the controller itself has changed is over before the test changes something.
    await clock.advance(31_000);
    const [made] = await names();
    await slices.delete(made!);
    await expect.poll(() => gone).toEqual([made]);
    await clock.advance(29_000);
    expect(await names()).toEqual([]);
    await clock.advance(2000);
    await expect.poll(names).toHaveLength(1);
  });
});
