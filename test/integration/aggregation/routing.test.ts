/** Where requests for an aggregated API go: the cluster IP of its service, or one of its endpoints. */
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { APIService } from '../../../src/api/gen/types/apiregistration-v1.ts';
import { type ApiUsers, startApiUsers } from '../../support/api-users.ts';
import {
  apiService,
  apiServicesPath,
  createFrontProxyFiles,
  ExtensionBackend,
  type FrontProxyFiles,
  valuesOf,
} from '../../support/extension-backend.ts';

const services = '/api/v1/namespaces/default/services';
const endpoints = '/api/v1/namespaces/default/endpoints';
const mine = `${apiServicesPath}/v1.agg.example.com`;
const things = '/apis/agg.example.com/v1/things';
const available = ({ status }: APIService) => status?.conditions?.find(({ type }) => type === 'Available');
/** An address of this machine that endpoints may have. */
const address = Object.values(networkInterfaces())
  .flat()
  .find((entry) => entry?.family === 'IPv4' && !entry.internal && !entry.address.startsWith('169.254.'))?.address;

let files: FrontProxyFiles;
beforeAll(async () => void (files = await createFrontProxyFiles()));
afterAll(() => files[Symbol.asyncDispose]());

describe('to the cluster IP', () => {
  // All of this network is this machine, so that addresses of services can be reached without a service proxy.
  const clusterIp = '127.9.0.77';

  async function setUp(): Promise<[ApiUsers, ExtensionBackend]> {
    return Promise.all([
      startApiUsers({}, ['--service-cluster-ip-range=127.9.0.0/24', ...files.flags]),
      ExtensionBackend.start({ files, host: clusterIp }),
    ]);
  }

  test('A request to the cluster IP goes to the port of the service, once it has endpoints', async () => {
    const [users, backend] = await setUp();
    await using _users = users;
    await using _backend = backend;
    await users.create(services, {
      metadata: { name: 'agg' },
      spec: { clusterIP: clusterIp, ports: [{ name: 'https', port: backend.port }] },
    });
    await users.create(apiServicesPath, apiService({ port: backend.port, spec: { caBundle: files.caBundle } }));
    await users.until('admin', 'GET', mine, ({ body }) => available(body)?.reason === 'EndpointsNotFound');
    expect((await users.call('admin', 'GET', things)).status).toBe(503);
    await users.create(endpoints, {
      metadata: { name: 'agg' },
      subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'https', port: 1 }] }],
    });
    const { body } = await users.until('admin', 'GET', mine, (answer) => available(answer.body)?.status === 'True');
    expect(available(body)).toMatchObject({ reason: 'Passed', message: 'all checks passed' });
    await users.until('admin', 'GET', things, ({ status }) => status === 200);
    expect(valuesOf(backend.received[0]!, 'x-forwarded-host')).toEqual([`${clusterIp}:${backend.port}`]);
    await users.call('admin', 'DELETE', `${endpoints}/agg`);
    await users.until('admin', 'GET', things, ({ status }) => status === 503);
  });

  test('A service without one has no address', async () => {
    const [users, backend] = await setUp();
    await using _users = users;
    await using _backend = backend;
    await users.create(services, {
      metadata: { name: 'agg' },
      spec: { clusterIP: 'None', ports: [{ port: backend.port }] },
    });
    await users.create(endpoints, {
      metadata: { name: 'agg' },
      subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 1 }] }],
    });
    await users.create(apiServicesPath, apiService({ port: backend.port, spec: { caBundle: files.caBundle } }));
    const { body } = await users.until(
      'admin',
      'GET',
      mine,
      (answer) => available(answer.body)?.reason === 'FailedDiscoveryCheck',
    );
    expect(available(body)!.message).toBe('cannot route to service with ClusterIP "None"');
  });
});

describe('to endpoints', () => {
  test.skipIf(address === undefined)(
    'A request to endpoints goes to ready ones, on their port; a service that is elsewhere has none',
    async () => {
      await using users = await startApiUsers({}, ['--enable-aggregator-routing', ...files.flags]);
      await using backend = await ExtensionBackend.start({ files, host: address! });
      await users.create(services, { metadata: { name: 'agg' }, spec: { ports: [{ name: 'https', port: 443 }] } });
      await users.create(endpoints, {
        metadata: { name: 'agg' },
        subsets: [
          {
            notReadyAddresses: [{ ip: '192.0.2.1' }],
            addresses: [{ ip: address! }],
            ports: [
              { name: 'other', port: 1 },
              { name: 'https', port: backend.port },
            ],
          },
        ],
      });
      await users.create(apiServicesPath, apiService({ port: 443, spec: { caBundle: files.caBundle } }));
      await users.until('admin', 'GET', things, ({ status }) => status === 200);
      expect(valuesOf(backend.received[0]!, 'x-forwarded-host')).toEqual([`${address}:${backend.port}`]);
      await users.call('admin', 'DELETE', mine);
      await users.create(services, {
        metadata: { name: 'far' },
        spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port: 443 }] },
      });
      await users.create(
        apiServicesPath,
        apiService({ port: 443, spec: { service: { name: 'far', namespace: 'default', port: 443 } } }),
      );
      const { body } = await users.until('admin', 'GET', mine, (answer) => available(answer.body) !== undefined);
      expect(available(body)).toMatchObject({
        status: 'False',
        reason: 'FailedDiscoveryCheck',
        message: 'unsupported service type "ExternalName"',
      });
    },
  );
});
