/** Cluster IPs by ServiceCIDR and IPAddress objects. What is expected of answers was recorded from 1.32. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiUsers, startApiUsers } from '../../support/api-users.ts';

const flags = ['--disable-admission-plugins=ServiceAccount', '--service-cluster-ip-range=10.0.0.0/24'];
const gate = '--feature-gates=MultiCIDRServiceAllocator=true';
const api = '--runtime-config=networking.k8s.io/v1beta1=true';
const services = '/api/v1/namespaces/default/services';
const addresses = '/apis/networking.k8s.io/v1beta1/ipaddresses';
const ranges = '/apis/networking.k8s.io/v1beta1/servicecidrs';

const service = (name: string, clusterIP?: string): object => ({
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...(clusterIP === undefined ? {} : { clusterIP }) },
});
const range = (name: string, ...cidrs: string[]): object => ({ metadata: { name }, spec: { cidrs } });
const merge = 'application/merge-patch+json';

describe('with bitmaps beside the objects', () => {
  let server: ApiUsers;
  beforeAll(async () => {
    server = await startApiUsers({}, [...flags, gate, api]);
  });
  afterAll(() => server[Symbol.asyncDispose]());
  const call = (method: string, path: string, body?: object, contentType?: string) =>
    server.call('admin', method, path, {
      ...(body === undefined ? {} : { body }),
      ...(contentType === undefined ? {} : { contentType }),
    });

  test('The ranges of the command line are a ready object, and the kubernetes service has its address', async () => {
    const { body } = await call('GET', `${ranges}/kubernetes`);
    expect(body).toMatchObject({
      spec: { cidrs: ['10.0.0.0/24'] },
      status: { conditions: [{ type: 'Ready', status: 'True', message: 'Kubernetes default Service CIDR is ready' }] },
    });
    expect((await call('GET', `${addresses}/10.0.0.1`)).body.spec.parentRef.name).toBe('kubernetes');
  });

  test('A service has an IPAddress as long as it has the address', async () => {
    expect((await call('POST', services, service('s', '10.0.0.77'))).status).toBe(201);
    expect((await call('GET', `${addresses}/10.0.0.77`)).body).toMatchObject({
      metadata: {
        labels: {
          'ipaddress.kubernetes.io/ip-family': 'IPv4',
          'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
        },
        managedFields: [{ manager: 'kube-apiserver', operation: 'Update' }],
      },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 's' } },
    });
    const external = { spec: { type: 'ExternalName', externalName: 'x', clusterIP: null, clusterIPs: null } };
    expect((await call('PATCH', `${services}/s`, external, merge)).status).toBe(200);
    expect((await call('GET', `${addresses}/10.0.0.77`)).status).toBe(404);
    expect((await call('POST', services, service('d', '10.0.0.78'))).status).toBe(201);
    await call('DELETE', `${services}/d`);
    expect((await call('GET', `${addresses}/10.0.0.78`)).status).toBe(404);
  });

  test('A dry run takes nothing, and a service that is refused gives its address back', async () => {
    expect((await call('POST', `${services}?dryRun=All`, service('dry', '10.0.0.80'))).status).toBe(201);
    expect((await call('GET', `${addresses}/10.0.0.80`)).status).toBe(404);
    await call('POST', services, service('twice', '10.0.0.81'));
    expect((await call('POST', services, service('twice', '10.0.0.82'))).status).toBe(409);
    expect((await call('GET', `${addresses}/10.0.0.82`)).status).toBe(404);
    expect((await call('GET', `${addresses}/10.0.0.81`)).status).toBe(200);
  });

  test('An address that a client has taken is not given out', async () => {
    const parentRef = { resource: 'services', name: 'x', namespace: 'default' };
    await call('POST', addresses, { metadata: { name: '10.0.0.90' }, spec: { parentRef } });
    const message =
      'Service "h" is invalid: spec.clusterIPs: Invalid value: []string{"10.0.0.90"}: failed to allocate IP ' +
      '10.0.0.90: provided IP is already allocated';
    expect((await call('POST', services, service('h', '10.0.0.90'))).body).toMatchObject({ code: 422, message });
    expect((await call('DELETE', `${addresses}/10.0.0.90`)).status).toBe(200);
    // The bitmap has it until it is repaired.
    expect((await call('POST', services, service('h', '10.0.0.90'))).body).toMatchObject({ code: 422, message });
  });

  test('Addresses of a further range can be had until it ends', async () => {
    await call('POST', ranges, range('extra', '10.9.0.0/24'));
    expect((await call('POST', services, service('e', '10.9.0.5'))).status).toBe(201);
    expect((await call('GET', `${addresses}/10.9.0.5`)).body.spec.parentRef.name).toBe('e');
    await call('DELETE', `${services}/e`);
    await call('DELETE', `${ranges}/extra`);
    expect((await call('POST', services, service('t', '10.9.0.6'))).body).toMatchObject({
      code: 422,
      message:
        'Service "t" is invalid: spec.clusterIPs: Invalid value: []string{"10.9.0.6"}: failed to allocate IP ' +
        '10.9.0.6: the provided network does not match the current range',
    });
  });

  test('A range that is not ready gives out nothing, and without a range there is no address', async () => {
    await call('POST', ranges, range('held', '10.8.0.0/28'));
    const status = { conditions: [{ type: 'Ready', status: 'False', reason: 'R', message: '' }] };
    await call('PATCH', `${ranges}/held/status`, { status }, merge);
    expect((await call('POST', services, service('n', '10.8.0.3'))).status).toBe(422);
    await call('DELETE', `${ranges}/kubernetes`);
    expect((await call('POST', services, service('n'))).body).toMatchObject({
      code: 500,
      message: 'Internal error occurred: failed to allocate a serviceIP: range is full',
    });
  });

  test('A range of a few addresses gives out each of them once', async () => {
    await call('POST', ranges, range('few', '10.7.0.0/29'));
    const given: string[] = [];
    for (let i = 0; i < 6; i++) given.push((await call('POST', services, service(`f${i}`))).body.spec.clusterIP);
    expect(given.sort()).toEqual([1, 2, 3, 4, 5, 6].map((last) => `10.7.0.${last}`));
    expect((await call('POST', services, service('f6'))).status).toBe(500);
  });
});

test('Without bitmaps an address has its object alone', async () => {
  await using server = await startApiUsers({}, [...flags, `${gate},DisableAllocatorDualWrite=true`, api]);
  await server.create(services, service('s', '10.0.0.77'));
  expect((await server.call('admin', 'GET', `${addresses}/10.0.0.77`)).status).toBe(200);
  const { body } = await server.call('admin', 'POST', services, { body: service('t', '10.0.0.77') });
  expect(body.message).toContain('provided IP is already allocated');
  await server.call('admin', 'DELETE', `${services}/s`);
  expect((await server.call('admin', 'GET', `${addresses}/10.0.0.77`)).status).toBe(404);
  await server.create(services, service('t', '10.0.0.77'));
});

test('A cluster goes from bitmaps to objects, and back to bitmaps', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'orch-cidrs-'));
  try {
    {
      await using server = await startApiUsers({}, flags, { dataDir });
      await server.create(services, service('old', '10.0.0.50'));
    }
    {
      await using server = await startApiUsers({}, [...flags, `${gate},DisableAllocatorDualWrite=true`, api], {
        dataDir,
      });
      expect((await server.call('admin', 'GET', `${addresses}/10.0.0.50`)).body.spec.parentRef.name).toBe('old');
      expect((await server.call('admin', 'POST', services, { body: service('x', '10.0.0.50') })).status).toBe(422);
      await server.create(services, service('new', '10.0.0.51'));
    }
    await using server = await startApiUsers({}, flags, { dataDir });
    for (const ip of ['10.0.0.50', '10.0.0.51'])
      expect((await server.call('admin', 'POST', services, { body: service('x', ip) })).status).toBe(422);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
