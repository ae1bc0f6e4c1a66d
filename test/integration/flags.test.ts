/**
 * Flags whose effect shows only in a whole server: each row starts one with the flag and looks for what its help says.
 */
import { connect } from 'node:http2';
import { describe, expect, test } from 'vitest';
import { observed, type StoreCalls } from '../support/observed-store.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const container = { name: 'c', image: 'i' };
const pod = (name: string, more: object = {}): object => ({
  metadata: { name },
  spec: { containers: [{ ...container, ...more }] },
});
const pods = '/api/v1/namespaces/default/pods';
const configMaps = '/api/v1/namespaces/default/configmaps';
const events = '/api/v1/namespaces/default/events';
const event = (name: string): object => ({ metadata: { name }, involvedObject: { namespace: 'default' } });

interface Row {
  readonly flags: readonly string[];
  readonly effect: string;
  check(server: TestServer, calls: StoreCalls): Promise<void>;
}

const ofKind =
  (path: string) =>
  (method: string, args: readonly unknown[]): boolean =>
    method === 'list' && String(args[0]).includes(path);
/** Of the leases for events; the server takes one for its own endpoint at its start. */
const ttlsOf = ({ all }: StoreCalls): unknown[] =>
  all
    .filter(({ method }) => method === 'grantLease')
    .map(({ args }) => args[0])
    .filter((ttl) => ttl !== 15);
const tolerationsOf = async (server: TestServer): Promise<unknown> => {
  const { spec } = (await server.send('POST', pods, { body: pod('p') })).json<{
    spec: { tolerations: { key: string; tolerationSeconds: number }[] };
  }>();
  return Object.fromEntries(
    (spec.tolerations ?? []).map(({ key, tolerationSeconds }) => [key.split('/')[1], tolerationSeconds]),
  );
};
const kubernetesService = async (server: TestServer) =>
  (await server.send('GET', '/api/v1/namespaces/default/services/kubernetes')).json<{
    spec: { type: string; clusterIP: string; ports: { nodePort: number }[] };
  }>().spec;

const rows: readonly Row[] = [
  // Serving
  {
    flags: ['--external-hostname=api.example'],
    effect: 'the name stands in /api',
    check: async (server) =>
      expect((await server.send('GET', '/api')).text).toContain(
        `"serverAddress":"api.example:${new URL(server.url).port}"`,
      ),
  },
  {
    flags: ['--advertise-address=192.0.2.7'],
    effect: 'the kubernetes service points to it',
    check: async (server) =>
      expect((await server.send('GET', '/api/v1/namespaces/default/endpoints/kubernetes')).text).toContain(
        '"ip":"192.0.2.7"',
      ),
  },
  {
    flags: ['--http2-max-streams-per-connection=7'],
    effect: 'the connection says so',
    async check({ url, ca }) {
      const session = connect(url, { ca });
      const settings = await new Promise<{ maxConcurrentStreams?: number }>((resolve) =>
        session.once('remoteSettings', resolve),
      );
      session.close();
      expect(settings.maxConcurrentStreams).toBe(7);
    },
  },
  {
    flags: ['--request-timeout=50ms'],
    effect: 'a request whose store is silent ends with 504',
    async check(server, calls) {
      calls.hang = ofKind('/secrets/');
      expect((await server.send('GET', '/api/v1/secrets?resourceVersion=')).status).toBe(504);
    },
  },
  {
    flags: ['--min-request-timeout=1'],
    effect: 'a watch ends by itself',
    check: async (server) => expect((await server.send('GET', `${configMaps}?watch=1`)).status).toBe(200),
  },
  {
    flags: ['--max-requests-inflight=1', '--enable-priority-and-fairness=false'],
    effect: 'a second reader is sent away, a writer is not',
    async check(server, calls) {
      calls.hang = ofKind('/secrets/');
      const reached = calls.next(calls.hang);
      const waiting = server.send('GET', '/api/v1/secrets', { user: 'alice' });
      await reached;
      expect((await server.send('GET', configMaps, { user: 'alice' })).status).toBe(429);
      expect((await server.send('POST', configMaps, { user: 'alice', body: { metadata: { name: 'a' } } })).status).toBe(
        201,
      );
      calls.release();
      expect((await waiting).status).toBe(200);
    },
  },
  {
    flags: ['--max-mutating-requests-inflight=1', '--enable-priority-and-fairness=false'],
    effect: 'a second writer is sent away, a reader is not',
    async check(server, calls) {
      calls.hang = (method, [key]) => method === 'create' && String(key).includes('/configmaps/');
      const reached = calls.next(calls.hang);
      const waiting = server.send('POST', configMaps, { user: 'alice', body: { metadata: { name: 'a' } } });
      await reached;
      expect((await server.send('POST', pods, { user: 'alice', body: pod('p') })).status).toBe(429);
      expect((await server.send('GET', pods, { user: 'alice' })).status).toBe(200);
      calls.release();
      expect((await waiting).status).toBe(201);
    },
  },
  // Admission
  {
    flags: ['--allow-privileged=false'],
    effect: 'a privileged pod is refused',
    check: async (server) =>
      expect(
        (await server.send('POST', pods, { body: pod('p', { securityContext: { privileged: true } }) })).text,
      ).toContain('disallowed by cluster policy'),
  },
  {
    flags: ['--default-not-ready-toleration-seconds=7', '--default-unreachable-toleration-seconds=8'],
    effect: 'pods tolerate for so long',
    check: async (server) => expect(await tolerationsOf(server)).toEqual({ 'not-ready': 7, unreachable: 8 }),
  },
  {
    flags: ['--disable-admission-plugins=DefaultTolerationSeconds'],
    effect: 'the plugin does not run',
    check: async (server) => expect(await tolerationsOf(server)).toEqual({}),
  },
  {
    flags: ['--enable-admission-plugins=DefaultTolerationSeconds'],
    effect: 'what runs anyway still does',
    check: async (server) => expect(await tolerationsOf(server)).toEqual({ 'not-ready': 300, unreachable: 300 }),
  },
  // Storage
  {
    flags: ['--store-prefix=/elsewhere'],
    effect: 'keys begin with it',
    check: async ({ store }) =>
      expect([
        (await store.list('/elsewhere/namespaces/')).kvs.length,
        (await store.list('/registry/')).kvs.length,
      ]).toEqual([5, 0]),
  },
  {
    flags: ['--storage-media-type=application/json'],
    effect: 'objects are stored as JSON',
    check: async ({ store }) =>
      expect(
        JSON.parse(Buffer.from((await store.get('/registry/namespaces/default')).kv!.value).toString()),
      ).toMatchObject({ kind: 'Namespace', apiVersion: 'v1' }),
  },
  {
    flags: ['--event-ttl=1m', '--lease-reuse-duration-seconds=0'],
    effect: 'events have a lease of so long, each its own',
    async check(server, calls) {
      await server.send('POST', events, { body: event('e') });
      await server.send('POST', events, { body: event('f') });
      expect(ttlsOf(calls)).toEqual([60, 60]);
    },
  },
  {
    flags: ['--event-ttl=100s', '--lease-reuse-duration-seconds=3'],
    effect: 'a lease lives longer by the time that it is reused',
    async check(server, calls) {
      await server.send('POST', events, { body: event('e') });
      await server.send('POST', events, { body: event('f') });
      expect(ttlsOf(calls)).toEqual([103]);
    },
  },
  {
    flags: ['--watch-cache=false'],
    effect: 'each list asks the store',
    async check(server, calls) {
      for (let i = 0; i < 3; i++) await server.send('GET', `${configMaps}?resourceVersion=0`);
      expect(calls.all.filter(({ method, args }) => ofKind('/configmaps/')(method, args))).toHaveLength(3);
    },
  },
  {
    flags: ['--watch-cache-sizes=configmaps#0'],
    effect: 'lists of the one resource ask the store, of others the cache',
    async check(server, calls) {
      for (let i = 0; i < 3; i++)
        for (const path of [configMaps, pods]) await server.send('GET', `${path}?resourceVersion=0`);
      const asked = (path: string): number => calls.all.filter(({ method, args }) => ofKind(path)(method, args)).length;
      expect([asked('/configmaps/'), asked('/pods/')]).toEqual([3, 1]);
    },
  },
  {
    flags: ['--delete-collection-workers=3'],
    effect: 'three objects of a collection are deleted at a time',
    async check(server, calls) {
      for (let i = 0; i < 6; i++) await server.send('POST', configMaps, { body: { metadata: { name: `c${i}` } } });
      await server.send('DELETE', configMaps);
      expect(calls.deletions.most).toBe(3);
    },
  },
  {
    flags: ['--enable-garbage-collector=false'],
    effect: 'nothing waits for a collector',
    async check(server) {
      await server.send('POST', configMaps, { body: { metadata: { name: 'a' } } });
      await server.send('DELETE', `${configMaps}/a?propagationPolicy=Foreground`);
      expect((await server.send('GET', `${configMaps}/a`)).status).toBe(404);
    },
  },
  {
    flags: ['--enable-garbage-collector=true'],
    effect: 'what is deleted in the foreground waits for the collector',
    async check(server) {
      await server.send('POST', configMaps, { body: { metadata: { name: 'a' } } });
      await server.send('DELETE', `${configMaps}/a?propagationPolicy=Foreground`);
      expect((await server.send('GET', `${configMaps}/a`)).text).toContain('"finalizers":["foregroundDeletion"]');
    },
  },
  {
    flags: ['--store-db-metric-poll-interval=20ms'],
    effect: 'the size of the store is taken again and again',
    async check(_server, calls) {
      await calls.next((method) => method === 'status');
      await calls.next((method) => method === 'status');
    },
  },
  {
    flags: ['--store-count-metric-poll-period=20ms'],
    effect: 'objects are counted',
    async check(server) {
      await server.send('GET', '/api/v1/podtemplates');
      let text = '';
      while (!text.includes('apiserver_storage_objects{resource="podtemplates"} 0')) text = await metrics(server);
    },
  },
  {
    flags: ['--store-compaction-interval=1s'],
    effect: 'history is dropped',
    check: (_server, calls) => calls.next((method) => method === 'compact'),
  },
  {
    flags: ['--store-healthcheck-timeout=20ms'],
    effect: '/livez fails when the store is silent for longer',
    check: (server, calls) => expectUnhealthy(server, calls, 'livez', 'etcd'),
  },
  {
    flags: ['--store-readycheck-timeout=20ms'],
    effect: '/readyz fails when the store is silent for longer',
    check: (server, calls) => expectUnhealthy(server, calls, 'readyz', 'etcd-readiness'),
  },
  // Services
  {
    flags: ['--service-cluster-ip-range=10.9.0.0/24'],
    effect: 'the kubernetes service has its first address',
    check: async (server) =>
      expect(await kubernetesService(server)).toMatchObject({ clusterIP: '10.9.0.1', type: 'ClusterIP' }),
  },
  {
    flags: ['--kubernetes-service-node-port=30443'],
    effect: 'the kubernetes service has it',
    check: async (server) =>
      expect(await kubernetesService(server)).toMatchObject({ type: 'NodePort', ports: [{ nodePort: 30443 }] }),
  },
  {
    flags: ['--service-node-port-range=31000-31000'],
    effect: 'ports come from it until there are none',
    async check(server) {
      const service = (name: string): object => ({
        metadata: { name },
        spec: { type: 'NodePort', ports: [{ port: 80 }] },
      });
      const send = (name: string) =>
        server.send('POST', '/api/v1/namespaces/default/services', { body: service(name) });
      expect([
        (await send('a')).text.includes('"nodePort":31000'),
        (await send('b')).text.includes('range is full'),
      ]).toEqual([true, true]);
    },
  },
  {
    flags: ['--storage-backend=etcd3'],
    effect: 'the only backend that there is may be named',
    check: async (server) => expect((await server.send('GET', configMaps)).status).toBe(200),
  },
];

const metrics = async (server: TestServer): Promise<string> => (await server.send('GET', '/metrics')).text;

async function expectUnhealthy(server: TestServer, calls: StoreCalls, endpoint: string, check: string): Promise<void> {
  expect((await server.send('GET', `/${endpoint}/${check}`)).status).toBe(200);
  calls.hang = (method) => method === 'currentRevision';
  expect((await server.send('GET', `/${endpoint}/${check}`)).status).toBe(500);
}

describe('flags of the API server', () => {
  test.each(rows)('Flags of the API server: $flags: $effect', async ({ flags, check }) => {
    const { calls, wrap } = observed();
    await using server = await startTestServer({ flags, wrap });
    try {
      await check(server, calls);
    } finally {
      calls.release();
    }
  });
});
