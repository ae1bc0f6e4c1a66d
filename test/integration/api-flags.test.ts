/** Flags that say which APIs and which of their parts a server has: each row starts one, and looks for the effect. */
import { describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const containers = [{ name: 'c', image: 'i' }];
const pods = '/api/v1/namespaces/default/pods';

interface Row {
  readonly flags: readonly string[];
  readonly effect: string;
  check(server: TestServer): Promise<void>;
}

const rows: readonly Row[] = [
  {
    flags: ['--runtime-config=batch/v1/cronjobs=false,storagemigration.k8s.io/v1alpha1=true'],
    effect: 'resources go and come',
    async check(server) {
      expect([
        (await server.send('GET', '/apis/batch/v1/cronjobs')).status,
        (await server.send('GET', '/apis/batch/v1/jobs')).status,
      ]).toEqual([404, 200]);
      expect((await server.send('GET', '/apis/storagemigration.k8s.io/v1alpha1/storageversionmigrations')).status).toBe(
        200,
      );
    },
  },
  {
    flags: ['--emulated-version=1.31', '--runtime-config=api/all=true'],
    effect: 'there is no API that came later',
    async check(server) {
      const { versions } = (await server.send('GET', '/apis/storage.k8s.io')).json<{ versions: unknown[] }>();
      expect(versions.length).toBeGreaterThan(1);
      expect((await server.send('GET', '/apis/coordination.k8s.io/v1alpha2/leasecandidates')).status).toBe(404);
      expect((await server.send('GET', '/apis/resource.k8s.io/v1beta1/resourceclaims')).status).toBe(404);
    },
  },
  {
    flags: [
      '--feature-gates=DynamicResourceAllocation=true,DRAAdminAccess=true',
      '--runtime-config=resource.k8s.io/v1beta1=true',
    ],
    effect: 'claims may ask for access as an administrator',
    async check(server) {
      const requests = [{ name: 'r', deviceClassName: 'gpu', adminAccess: true }];
      const body = { metadata: { name: 'a' }, spec: { devices: { requests } }, status: { reservedFor: [] } };
      const path = '/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims';
      expect((await server.send('POST', path, { body })).text).toContain('"adminAccess":true');
    },
  },
  {
    flags: ['--feature-gates=PodLogsQuerySplitStreams=true'],
    effect: 'a log is asked for by stream',
    async check(server) {
      await server.send('POST', pods, { body: { metadata: { name: 'p' }, spec: { containers } } });
      const { message } = (await server.send('GET', `${pods}/p/log?stream=Other`)).json<{ message: string }>();
      expect(message).toContain('stream: Unsupported value: "Other"');
    },
  },
  {
    flags: ['--feature-gates=ImageVolume=true'],
    effect: 'what the gate guards is kept',
    async check(server) {
      const body = {
        metadata: { name: 'p' },
        spec: { containers, volumes: [{ name: 'v', image: { reference: 'r' } }] },
      };
      expect((await server.send('POST', pods, { body })).text).toContain('"image":{"reference":"r"');
    },
  },
];

describe('flags that choose APIs', () => {
  test.each(rows)('Flags that choose APIs: $flags: $effect', async ({ flags, check }) => {
    await using server = await startTestServer({ flags });
    await check(server);
  });
});
