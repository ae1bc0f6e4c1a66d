import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Service, ServiceSpec } from '../../../api/gen/types/core-v1.ts';
import { openEmbeddedStore } from '../../../storage/embedded/open.ts';
import { StorageError } from '../../../storage/storage-error.ts';
import type { Store } from '../../../storage/interface.ts';
import { ServiceServer } from './testing/service-server.ts';
import { takenNumbers } from './testing/shared-ranges-suite.ts';
import { nodePorts } from './testing/node-ports.ts';

let store: Store & AsyncDisposable;

let server: ServiceServer;

beforeEach(async () => {
  store = await openEmbeddedStore();
  server = new ServiceServer({ store });
  await server.ranges.repair();
});

afterEach(() => store[Symbol.asyncDispose]());

const serviceOf = (name: string, spec: ServiceSpec): Service => ({
  metadata: { name, namespace: 'default' },
  spec,
  status: { loadBalancer: {} },
});

const takenPorts = async (): Promise<number[]> =>
  (await takenNumbers(store, 'servicenodeports')).map((number) => 30_000 + number);

const takenIps = async (): Promise<string[]> =>
  (await takenNumbers(store, 'serviceips')).map((number) => `10.0.0.${number + 1}`);

describe('writes that do not happen', () => {
  test('A refused creation leaves the service as the client sent it, for another attempt', async () => {
    const submitted: ServiceSpec = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [{ port: 80 }] };
    const service = serviceOf('s', structuredClone(submitted));
    const begun = await server.ranges.allocator.beginCreate(service, false);
    expect([await takenIps(), (await takenPorts()).length]).toEqual([[service.spec.clusterIP], 2]);
    await begun.finish('refused', 0);
    expect([service.spec, await takenIps(), await takenPorts()]).toEqual([submitted, [], []]);
  });

  test('What is told to be refused twice is given back once', async () => {
    const { allocator } = server.ranges;
    const begun = await allocator.beginCreate(serviceOf('a', { clusterIP: '10.0.0.40' }), false);
    await begun.finish('refused', 0);
    await allocator.beginCreate(serviceOf('b', { clusterIP: '10.0.0.40' }), false);
    await begun.finish('refused', 0);
    expect(await takenIps()).toEqual(['10.0.0.40']);
  });

  test('A dry run shows values and takes nothing', async () => {
    const service = await server.create(
      { name: 's', type: 'LoadBalancer', externalTrafficPolicy: 'Local' },
      { dryRun: true },
    );
    expect([service.spec.clusterIP, nodePorts(service), service.spec.healthCheckNodePort]).toEqual([
      '10.0.0.0',
      [32_768],
      32_769,
    ]);
    expect([await takenIps(), await takenPorts()]).toEqual([[], []]);
  });

  test('A dry run of a change takes nothing and gives nothing back', async () => {
    const { spec } = await server.create({ name: 's', type: 'NodePort' });
    await server.change('s', (service) => Object.assign(service.spec, { type: 'ExternalName', externalName: 'a.b' }), {
      dryRun: true,
    });
    expect([await takenIps(), await takenPorts()]).toEqual([spec.clusterIPs, nodePorts({ spec } as Service)]);
  });

  test('A dry run knows which ports are taken', async () => {
    await server.create({ name: 'other', type: 'NodePort', ports: [{ port: 80, nodePort: 31_000 }] });
    await expect(
      server.create({ name: 's', type: 'NodePort', ports: [{ port: 80, nodePort: 31_000 }] }, { dryRun: true }),
    ).rejects.toThrow('provided port is already allocated');
  });

  test('A service that validation refuses holds nothing', async () => {
    await expect(server.create({ name: 'S', type: 'NodePort' })).rejects.toMatchObject({ code: 422 });
    expect([await takenIps(), await takenPorts()]).toEqual([[], []]);
  });

  test('A change that validation refuses keeps what was held', async () => {
    const { spec } = await server.create({ name: 's' });
    await expect(
      server.change('s', (service) => Object.assign(service.spec, { type: 'NodePort', selector: { 'a b': 'c' } })),
    ).rejects.toMatchObject({ code: 422 });
    expect([await takenIps(), await takenPorts()]).toEqual([spec.clusterIPs, []]);
  });

  test('A service that may have been written keeps what it may hold, until the repair knows', async () => {
    const lost = (member: 'create' | 'update', apply: boolean): Store =>
      new Proxy(store, {
        get: (target, name) => {
          if (name !== member) return Reflect.get(target, name).bind?.(target);
          return async (key: string, ...rest: unknown[]) => {
            const isService = key.startsWith('/registry/services/specs/');
            const answer =
              isService && !apply
                ? undefined
                : await (target[member] as (...parameters: unknown[]) => Promise<unknown>)(key, ...rest);
            if (isService) throw new StorageError('Unavailable', 'the answer was lost');
            return answer;
          };
        },
      });
    await expect(
      new ServiceServer({ store: lost('create', true) }).create({ name: 'made', clusterIP: '10.0.0.40' }),
    ).rejects.toMatchObject({ code: 503 });
    await expect(
      new ServiceServer({ store: lost('create', false) }).create({ name: 'not-made', clusterIP: '10.0.0.41' }),
    ).rejects.toMatchObject({ code: 503 });
    await expect(
      new ServiceServer({ store: lost('update', true) }).change('made', ({ spec }) => (spec.type = 'NodePort')),
    ).rejects.toMatchObject({ code: 503 });
    expect([await takenIps(), (await takenPorts()).length]).toEqual([['10.0.0.40', '10.0.0.41'], 1]);
    for (let round = 0; round < 3; round++) await server.ranges.repair();
    expect([await takenIps(), await takenPorts()]).toEqual([['10.0.0.40'], nodePorts(await server.get('made'))]);
  });

  test('A store that is away fails the request as such', async () => {
    const away = new Proxy(store, {
      get: (target, member) =>
        member === 'update'
          ? () => Promise.reject(new StorageError('Unavailable', 'no response'))
          : Reflect.get(target, member).bind?.(target),
    });
    await expect(new ServiceServer({ store: away }).create({ name: 's' })).rejects.toMatchObject({ code: 503 });
  });
});

describe('deletion', () => {
  test('The deletion of a service gives everything back, and takes the endpoints along', async () => {
    await server.create({ name: 's', type: 'LoadBalancer', externalTrafficPolicy: 'Local' });
    await server.createEndpoints('s');
    await server.remove('s');
    expect([await takenIps(), await takenPorts()]).toEqual([[], []]);
    expect(await server.endpoints.find('default', 's', { match: 'mostRecent' })).toBeUndefined();
    expect(server.warnings).toEqual([]);
  });

  test('A service that waits for a finalizer keeps what it holds until that is gone', async () => {
    await server.create({ name: 's', clusterIP: '10.0.0.9' });
    await server.change('s', ({ metadata }) => (metadata.finalizers = ['example.com/wait']));
    await server.remove('s');
    expect(await takenIps()).toEqual(['10.0.0.9']);
    await server.change('s', ({ metadata }) => (metadata.finalizers = []));
    expect(await takenIps()).toEqual([]);
  });

  test('A service that changes its type with its last finalizer gives back what it had and takes nothing', async () => {
    await server.create({ name: 's', clusterIP: '10.0.0.9' });
    await server.change('s', ({ metadata }) => (metadata.finalizers = ['example.com/wait']));
    await server.remove('s');
    await server.change('s', ({ metadata, spec }) => {
      metadata.finalizers = [];
      spec.type = 'NodePort';
    });
    expect([await takenIps(), await takenPorts()]).toEqual([[], []]);
  });
});
