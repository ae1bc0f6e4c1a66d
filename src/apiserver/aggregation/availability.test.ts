/** Whether APIServices are available, by the objects of the cluster and by what their server answers. */
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { APIService, APIServiceCondition } from '../../api/gen/types/apiregistration-v1.ts';
import { schemas } from '../../api/schemas.ts';
import { silentLogger } from '../../base/logger.ts';
import { createFieldManager } from '../../machinery/managed-fields/field-manager.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import { createDirectCatalog } from '../../registry/testing/direct-catalog.ts';
import { openEmbeddedStore } from '../../storage/embedded/open.ts';
import { createCachedObjects } from '../loopback/cached-objects.ts';
import { LoopbackClient } from '../loopback/loopback-client.ts';
import { createSharedDecoder } from '../loopback/shared-decoder.ts';
import { ApiServices } from './api-services.ts';
import { availabilityOf } from './remote-api.ts';
import { Availability } from './availability.ts';
import type { Backends } from './backends.ts';

const name = 'v1.metrics.example.com';
const meta = { name: 'metrics', namespace: 'default' };
const service = (spec: object = {}): object => ({
  metadata: meta,
  spec: { type: 'ClusterIP', ports: [{ name: 'https', port: 443 }], ...spec },
});
const endpoints = (subset: object = {}): object => ({
  metadata: meta,
  subsets: [{ addresses: [{ ip: '10.0.0.7' }], ports: [{ name: 'https', port: 8443 }], ...subset }],
});

interface Given {
  readonly spec?: object;
  readonly service?: object;
  readonly endpoints?: object;
  /** Statuses, or errors, of the requests in order; the last for all that come then. */
  readonly answers?: readonly (number | Error)[];
}

async function find({ spec = {}, service: given, endpoints: subsets, answers = [200] }: Given) {
  const store = await openEmbeddedStore();
  const registry = createDirectCatalog(store, ['v1', 'apiregistration.k8s.io/v1']);
  const apiServices = registry.storeOf('apiregistration.k8s.io', 'apiservices')!;
  const put = async (group: string, resource: string, object: object | undefined): Promise<void> => {
    if (object === undefined) return;
    const { storage, key, encode } = bound(registry.storeOf(group, resource)!);
    const { metadata = {} } = object as KubeObject;
    await storage.create(key(metadata.namespace ?? '', metadata.name!), encode(object as KubeObject));
  };
  await put('', 'services', given);
  await put('', 'endpoints', subsets);
  await put('apiregistration.k8s.io', 'apiservices', {
    metadata: { name },
    spec: {
      group: 'metrics.example.com',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 15,
      service: { namespace: 'default', name: 'metrics' },
      ...spec,
    },
    status: {},
  });
  const services = new ApiServices(apiServices, silentLogger);
  let asked = 0;
  const backends = {
    check: () => {
      const answer = answers[Math.min(asked++, answers.length - 1)]!;
      return typeof answer === 'number'
        ? Promise.resolve({ status: answer, body: Readable.from([]) })
        : Promise.reject(answer);
    },
  } as unknown as Backends;
  let tell: (isAvailable: boolean) => void;
  const found = new Promise<boolean>((resolve) => (tell = resolve));
  const availability = new Availability({
    services,
    writer: new LoopbackClient({ registry, fieldManager: createFieldManager({ schemas }), enabled: () => false }),
    objects: createCachedObjects(registry, createSharedDecoder()),
    resolve: () => Promise.resolve({ host: '10.0.0.7', port: 8443 }),
    backends,
    observer: { found: (_, isAvailable) => tell(isAvailable), gone: () => undefined },
    queue: { waits: () => () => () => undefined, retries: () => undefined },
    log: silentLogger,
  });
  onTestFinished(async () => {
    await availability.stop();
    await services.stop();
    await store[Symbol.asyncDispose]();
  });
  services.start();
  const isAvailable = await found;
  const stored = apiServices.decode(await apiServices.get('', name, { match: 'mostRecent' })) as APIService;
  return { isAvailable, condition: availabilityOf(stored), asked };
}

const bound = (store: ResourceStore) => ({
  storage: store.storage,
  key: (namespace: string, of: string) => store.key(namespace, of),
  encode: (object: KubeObject) => store.encode(object),
});

interface Row extends Given {
  readonly name: string;
  readonly condition: Partial<APIServiceCondition>;
  readonly asked?: number;
}

const url = 'https://10.0.0.7:8443/apis/metrics.example.com/v1';
const everything = { service: service(), endpoints: endpoints() };

describe('an APIService', () => {
  test.each<Row>([
    {
      name: 'that this server answers is available',
      spec: { service: undefined },
      condition: { status: 'True', reason: 'Local', message: 'Local APIServices are always available' },
      asked: 0,
    },
    {
      name: 'whose server answers is available',
      ...everything,
      condition: { status: 'True', reason: 'Passed', message: 'all checks passed' },
      asked: 1,
    },
    {
      name: 'is available when one of several further requests is answered',
      ...everything,
      answers: [500, new Error('no'), 200],
      condition: { status: 'True', reason: 'Passed' },
      asked: 5,
    },
    {
      name: 'whose service is outside of the cluster needs no endpoints',
      service: service({ type: 'ExternalName', externalName: 'metrics.example.com', ports: [] }),
      condition: { status: 'True', reason: 'Passed' },
    },
    {
      name: 'without its service is not available',
      condition: {
        status: 'False',
        reason: 'ServiceNotFound',
        message: 'service/metrics in "default" is not present',
      },
      asked: 0,
    },
    {
      name: 'whose service has not the port is not available',
      service: service({ ports: [{ port: 80 }] }),
      condition: {
        status: 'False',
        reason: 'ServicePortError',
        message: 'service/metrics in "default" is not listening on port 443',
      },
    },
    {
      name: 'whose service has no endpoints is not available',
      service: service(),
      condition: {
        status: 'False',
        reason: 'EndpointsNotFound',
        message: 'cannot find endpoints for service/metrics in "default"',
      },
    },
    {
      name: 'whose endpoints are not ready is not available',
      service: service(),
      endpoints: endpoints({ addresses: [], notReadyAddresses: [{ ip: '10.0.0.7' }] }),
      condition: {
        status: 'False',
        reason: 'MissingEndpoints',
        message: 'endpoints for service/metrics in "default" have no addresses with port name "https"',
      },
    },
    {
      name: 'whose endpoints are those of another port is not available',
      service: service(),
      endpoints: endpoints({ ports: [{ name: 'http', port: 80 }] }),
      condition: { status: 'False', reason: 'MissingEndpoints' },
    },
    {
      name: 'whose server answers with an error is not available',
      ...everything,
      answers: [503],
      condition: {
        status: 'False',
        reason: 'FailedDiscoveryCheck',
        message: `failing or missing response from ${url}: bad status from ${url}: 503`,
      },
      asked: 5,
    },
    {
      name: 'whose server cannot be reached is not available, with the reason',
      ...everything,
      answers: [Object.assign(new Error(), { code: 'ECONNREFUSED' })],
      condition: {
        status: 'False',
        reason: 'FailedDiscoveryCheck',
        message:
          `failing or missing response from ${url}: Get "${url}": ` +
          'dial tcp 10.0.0.7:8443: connect: connection refused',
      },
    },
  ])('An APIService: $name', async ({ condition, asked, ...given }) => {
    const found = await find(given);
    expect(found.condition).toMatchObject(condition);
    expect(found.isAvailable).toBe(condition.status === 'True');
    if (asked !== undefined) expect(found.asked).toBe(asked);
  });
});
