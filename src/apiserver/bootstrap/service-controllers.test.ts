/**
 * The controllers of services over the life of a server: what they create at the start, repeat, and delete at the end.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { codecs } from '../../api/codecs.ts';
import type { Endpoints } from '../../api/gen/types/core-v1.ts';
import { schemas } from '../../api/schemas.ts';
import type { Logger } from '../../base/logger.ts';
import { createFieldManager } from '../../machinery/managed-fields/field-manager.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import { ServiceServer } from '../../registry/core/services/testing/service-server.ts';
import { openEmbeddedStore } from '../../storage/embedded/open.ts';
import { ControlledStore } from '../../storage/testing/controlled-store.ts';
import { LoopbackClient } from '../loopback/loopback-client.ts';
import {
  createServiceControllers,
  type ServiceControllers,
  type ServiceControllersConfig,
} from './service-controllers.ts';

const endpointsName = { group: '', resource: 'endpoints', namespace: 'default', name: 'kubernetes' };
const fieldManager = createFieldManager({ schemas });

let store: ControlledStore;
beforeEach(async () => {
  store = new ControlledStore(await openEmbeddedStore());
});
afterEach(() => store[Symbol.asyncDispose]());

interface Life {
  readonly controllers: ServiceControllers;
  readonly registry: ServiceServer;
  readonly told: string[];
  /** Addresses that the kubernetes service leads to. */
  published(): Promise<string[]>;
  /** Keys of the store under `/registry/masterleases/`. */
  leases(): Promise<string[]>;
}

type Reconciler = ServiceControllersConfig['endpointReconciler'];

function life({
  publicAddress = '192.0.2.7',
  endpointReconciler = 'lease' as Reconciler,
  apiServerCount = 1,
  nodePort = 0,
} = {}): Life {
  const told: string[] = [];
  const note = (_details: object, message: string): void => void told.push(message);
  const log: Logger = { debug: () => undefined, info: note, warn: note, error: note };
  const registry = new ServiceServer({ store });
  const writer = new LoopbackClient({ registry: registry.registry, fieldManager, enabled: () => true });
  const config: ServiceControllersConfig = {
    publicAddress,
    kubernetesNodePort: nodePort,
    endpointReconciler,
    apiServerCount,
    leases: { store, prefix: '/registry', mediaType: 'application/vnd.kubernetes.protobuf' },
  };
  return {
    controllers: createServiceControllers({
      config,
      log,
      registry: registry.registry,
      ranges: registry.ranges,
      codecs,
      writer,
      serving: { port: 6443 },
    }),
    registry,
    told,
    published: async () =>
      (await writer.find<Endpoints>(endpointsName))?.subsets?.flatMap(({ addresses = [] }) =>
        addresses.map(({ ip }) => ip!),
      ) ?? [],
    leases: async () =>
      (await store.list('/registry/masterleases/')).kvs.map(({ key }) => key.slice('/registry/masterleases/'.length)),
  };
}

describe('a server that starts', () => {
  test('A server that starts makes the ranges, the kubernetes service and its endpoint', async () => {
    const { controllers, registry, published } = life({ nodePort: 31_000 });
    await controllers.prepare();
    expect((await registry.get('kubernetes')).spec).toMatchObject({
      clusterIP: '10.0.0.1',
      type: 'NodePort',
      ports: [{ port: 443, targetPort: 6443, nodePort: 31_000 }],
    });
    expect(await published()).toEqual(['192.0.2.7']);
    expect((await store.list('/registry/ranges/')).kvs.map(({ key }) => key)).toEqual([
      '/registry/ranges/serviceips',
      '/registry/ranges/servicenodeports',
    ]);
    await controllers.stop();
  });

  test('A server that starts is not ready while the ranges cannot be repaired', async () => {
    const { controllers } = life();
    store.disconnect();
    await expect(controllers.prepare()).rejects.toMatchObject({ reason: 'Unavailable' });
    store.reconnect();
    await controllers.prepare();
    await controllers.stop();
  });

  test('A server that starts has nothing to do where services are not served', async () => {
    const { registry, ranges } = {
      registry: { storeOf: () => undefined } as unknown as RegistryCatalog,
      ranges: {} as never,
    };
    const controllers = createServiceControllers({
      config: {} as never,
      log: {} as never,
      registry,
      ranges,
      codecs,
      writer: {} as never,
      serving: { port: 0 },
    });
    expect(controllers.tasks).toEqual([]);
    await controllers.prepare();
    await controllers.stop();
  });
});

describe('what is repeated', () => {
  test('The repair loop repairs what a service holds and brings the kubernetes service back', async () => {
    const { controllers, registry, published } = life();
    await controllers.prepare();
    // Its endpoints go with it.
    await registry.remove('kubernetes');
    expect(await published()).toEqual([]);
    expect(controllers.tasks.map(({ everyMs }) => everyMs)).toEqual([180_000, 10_000]);
    for (const { run } of controllers.tasks) await run();
    expect((await registry.get('kubernetes')).spec.clusterIP).toBe('10.0.0.1');
    expect(await published()).toEqual(['192.0.2.7']);
    await controllers.stop();
  });

  test('The repair loop goes on after a time without the store, and says what it could not do', async () => {
    const { controllers, told, published } = life();
    await controllers.prepare();
    store.disconnect();
    const [repair, sync] = controllers.tasks;
    await expect(repair!.run()).rejects.toMatchObject({ reason: 'Unavailable' });
    await sync!.run();
    expect(told).toContain('the kubernetes service could not be brought up to date');
    store.reconnect();
    for (const { run } of controllers.tasks) await run();
    expect(await published()).toEqual(['192.0.2.7']);
    await controllers.stop();
  });
});

describe('a server that stops', () => {
  test('A server that stops with leases withdraws its own address and leaves those of others', async () => {
    const [one, other] = [life(), life({ publicAddress: '192.0.2.8' })];
    await one.controllers.prepare();
    await other.controllers.prepare();
    expect(await one.published()).toEqual(['192.0.2.7', '192.0.2.8']);
    await one.controllers.stop();
    expect(await other.published()).toEqual(['192.0.2.8']);
    expect(await other.leases()).toEqual(['192.0.2.8']);
    await other.controllers.stop();
    expect([await other.published(), await other.leases()]).toEqual([[], []]);
  });

  test('A server that stops with a known number of servers withdraws its address, and never had a lease', async () => {
    const { controllers, published, leases } = life({ endpointReconciler: 'master-count', apiServerCount: 2 });
    await controllers.prepare();
    expect([await published(), await leases()]).toEqual([['192.0.2.7'], []]);
    await controllers.stop();
    expect(await published()).toEqual([]);
  });

  test('A server that stops before it was ready has nothing to withdraw', async () => {
    const { controllers } = life();
    await controllers.stop();
    expect((await store.list('/registry/')).count).toBe(0);
  });

  test('A server that stops while the store is away does so all the same', async () => {
    const { controllers } = life();
    await controllers.prepare();
    store.disconnect();
    await controllers.stop();
  });
});

describe('without an endpoint of its own', () => {
  test('The kubernetes service exists also when the server publishes no endpoint', async () => {
    const { controllers, registry, published, told } = life({ endpointReconciler: 'none' });
    await controllers.prepare();
    expect((await registry.get('kubernetes')).spec.clusterIP).toBe('10.0.0.1');
    expect([await published(), told]).toEqual([[], []]);
    await controllers.stop();
  });

  test.each(['127.0.0.1', '127.8.9.10', '::1'])(
    'Without an endpoint of its own because %s is every machine itself: it says so',
    async (publicAddress) => {
      const { controllers, published, leases, told } = life({ publicAddress });
      await controllers.prepare();
      expect([await published(), await leases(), told]).toEqual([
        [],
        [],
        ['this machine has a loopback address only: the kubernetes service gets no endpoint'],
      ]);
      await controllers.stop();
    },
  );
});
