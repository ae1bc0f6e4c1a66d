/** What a server tells of itself: its identity lease, and the versions in which it stores objects. */
import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Answer, startApiUsers } from '../support/api-users.ts';
import { startTestServer } from '../support/test-server.ts';

const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
const versions = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions';
const identity = 'apiserver.kubernetes.io/identity=kube-apiserver';

test('A server has a lease with its name, and deletes those of servers that are gone', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'orch-identity-'));
  const old = (name: string, labels: object) => ({
    metadata: { name, labels },
    spec: { holderIdentity: 'x', leaseDurationSeconds: 1, renewTime: '2020-01-01T00:00:00.000000Z' },
  });
  try {
    {
      await using server = await startApiUsers({}, ['--feature-gates=APIServerIdentity=false'], { dataDir });
      await server.create(leases, old('apiserver-gone', { 'apiserver.kubernetes.io/identity': 'kube-apiserver' }));
      await server.create(leases, old('other', {}));
      expect((await server.call('admin', 'GET', `${leases}?labelSelector=${identity}`)).body.items).toHaveLength(1);
    }
    await using server = await startApiUsers({}, [], { dataDir });
    const isAlone = ({ body }: Answer): boolean =>
      body.items.length === 1 && body.items[0].metadata.name !== 'apiserver-gone';
    const { body } = await server.until('admin', 'GET', `${leases}?labelSelector=${identity}`, isAlone);
    const [{ metadata, spec }] = body.items;
    expect(metadata.name).toMatch(/^apiserver-[a-z2-7]{26}$/);
    expect(metadata.labels['kubernetes.io/hostname']).toBe(hostname());
    expect(spec).toMatchObject({ leaseDurationSeconds: 3600 });
    expect(spec.holderIdentity).toMatch(new RegExp(`^${metadata.name}_[0-9a-f-]{36}$`));
    expect((await server.call('admin', 'GET', `${leases}/other`)).status).toBe(200);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('With feature gate StorageVersionAPI a server tells in which versions it stores resources', async () => {
  const gates = '--feature-gates=StorageVersionAPI=true';
  await using server = await startApiUsers({}, [gates, '--runtime-config=internal.apiserver.k8s.io/v1alpha1=true']);
  const isSet = ({ body }: Answer): boolean => body.status?.commonEncodingVersion !== undefined;
  const { body } = await server.until('admin', 'GET', `${versions}/autoscaling.horizontalpodautoscalers`, isSet);
  expect(body.status).toMatchObject({
    storageVersions: [
      {
        apiServerID: expect.stringMatching(/^apiserver-/) as string,
        encodingVersion: 'autoscaling/v2',
        servedVersions: ['autoscaling/v1', 'autoscaling/v2'],
      },
    ],
    commonEncodingVersion: 'autoscaling/v2',
    conditions: [{ type: 'AllEncodingVersionsEqual', status: 'True', reason: 'CommonEncodingVersionSet' }],
  });
  expect((await server.until('admin', 'GET', `${versions}/core.pods`, isSet)).body.status.commonEncodingVersion).toBe(
    'v1',
  );
  const bad = { metadata: { name: 'nodot' } };
  expect((await server.call('admin', 'POST', versions, { body: bad })).body.message).toContain(
    'name must be in the form of <group>.<resource>',
  );
});

test('A server writes no resource before its storage version is published, and tries again', async () => {
  let isBroken = true;
  await using server = await startTestServer({
    flags: ['--feature-gates=StorageVersionAPI=true', '--runtime-config=internal.apiserver.k8s.io/v1alpha1=true'],
    wrap: (below) =>
      new Proxy(below, {
        get(target, name) {
          const member = Reflect.get(target, name) as unknown;
          if (typeof member !== 'function') return member;
          return (...given: unknown[]): unknown =>
            isBroken && name === 'update' && String(given[0]).includes('/batch.jobs')
              ? Promise.reject(new Error('not now'))
              : (Reflect.apply(member, target, given) as unknown);
        },
      }),
  });
  const jobs = '/apis/batch/v1/namespaces/default/jobs';
  const containers = [{ name: 'c', image: 'i' }];
  const body = { metadata: { name: 'a' }, spec: { template: { spec: { containers, restartPolicy: 'Never' } } } };
  const updater = '/readyz/poststarthook/built-in-resources-storage-version-updater';
  await expect.poll(async () => (await server.send('POST', jobs, { body })).text).toContain('not now');
  const refused = await server.send('POST', jobs, { body });
  expect(refused.json()).toMatchObject({
    code: 503,
    reason: 'ServiceUnavailable',
    message: expect.stringMatching(
      /^wait for storage version registration to complete for resource: jobs\.batch, last seen error: .*not now/,
    ) as string,
  });
  expect((await server.send('GET', jobs)).status).toBe(200);
  expect((await server.send('GET', updater)).status).toBe(500);
  isBroken = false;
  await expect.poll(async () => (await server.send('GET', updater)).status, { timeout: 10_000 }).toBe(200);
  expect((await server.send('POST', jobs, { body })).status).toBe(201);
});
