/** Two servers of one cluster, one with an API that the other lacks. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codecs } from '../../src/api/codecs.ts';
import { identityOf } from '../../src/apiserver/bootstrap/identity-lease.ts';
import { PeerEndpoints } from '../../src/apiserver/bootstrap/peer-endpoints.ts';
import { createInternalStorageCodec } from '../../src/registry/generic/internal-storage-codec.ts';
import { type Store } from '../../src/storage/interface.ts';
import { openEmbeddedStore } from '../../src/storage/embedded/open.ts';
import { createFrontProxyFiles, type FrontProxyFiles } from '../support/extension-backend.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const classes = '/apis/storage.k8s.io/v1alpha1/volumeattributesclasses';
const versions = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions';
const internal = 'internal.apiserver.k8s.io/v1alpha1=true';
const gates = '--feature-gates=StorageVersionAPI=true,UnknownVersionInteroperabilityProxy=true';

let store: Awaited<ReturnType<typeof openEmbeddedStore>>;
let files: FrontProxyFiles;
/** Serves the API. */
let newer: TestServer;
let older: TestServer;
/** Where the newer server says that it is. */
let isGone = false;

/** Leases of a server that has ended end after their time; here at once. */
const leavable = (below: Store): Store =>
  new Proxy(below, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== 'function') return member;
      if (name === 'get' && isGone)
        return (key: string, ...more: unknown[]) =>
          key.startsWith('/registry/peerserverleases/')
            ? Promise.resolve({ revision: 1, kv: undefined })
            : (Reflect.apply(member, target, [key, ...more]) as unknown);
      return member.bind(target) as unknown;
    },
  });

beforeAll(async () => {
  store = await openEmbeddedStore();
  files = await createFrontProxyFiles();
  const frontProxyCa = await files.write('front-proxy-ca.crt', files.frontProxyCa.certificate);
  newer = await startTestServer({
    store,
    hostname: 'newer',
    flags: [
      gates,
      `--runtime-config=${internal},storage.k8s.io/v1alpha1=true`,
      `--requestheader-client-ca-file=${frontProxyCa}`,
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      '--peer-advertise-ip=127.0.0.1',
    ],
  });
  older = await startTestServer({
    store,
    wrap: leavable,
    hostname: 'older',
    flags: [
      gates,
      `--runtime-config=${internal}`,
      `--peer-ca-file=${await files.write('peers.crt', newer.ca)}`,
      '--peer-advertise-ip=192.0.2.7',
      '--peer-advertise-port=7443',
      ...files.flags,
    ],
  });
  // The older server has read what the newer one serves when it passes the first request on.
  for (;;) {
    const { text } = await older.send('GET', `${versions}/storage.k8s.io.volumeattributesclasses`);
    if (text.includes('v1alpha1') && (await older.send('GET', classes)).status === 200) break;
  }
});
afterAll(async () => {
  await older[Symbol.asyncDispose]();
  await newer[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await files[Symbol.asyncDispose]();
});

/** How many writes of the resource the server has answered. */
const requestsOf = (metrics: string): string | undefined =>
  /^apiserver_request_total\{verb="POST".*resource="volumeattributesclasses".*\} (\d+)$/m.exec(metrics)?.[1];

const volumeClass = (name: string): object => ({
  metadata: { name },
  driverName: 'csi.example.com',
  parameters: { a: 'b' },
});

test('A write of a resource that only another server serves is done there, and is read through both', async () => {
  const created = await older.send('POST', classes, { body: volumeClass('gold') });
  expect(created.text).toContain('"uid"');
  expect(created.status).toBe(201);
  for (const server of [older, newer]) {
    const { metadata } = (await server.send('GET', `${classes}/gold`)).json<{ metadata: { name: string } }>();
    expect(metadata.name).toBe('gold');
  }
});

test('The other server knows who asks, and decides about the request', async () => {
  const { metadata } = (await older.send('GET', `${classes}/gold`)).json<{ metadata: { managedFields: unknown[] } }>();
  expect(metadata.managedFields).toHaveLength(1);
  const refused = await older.send('GET', classes, { user: 'alice', headers: { 'x-remote-group': 'system:masters' } });
  expect(refused.status).toBe((await newer.send('GET', classes, { user: 'alice' })).status);
});

test('A request that has come from another server is answered where it arrives', async () => {
  const { status } = await older.send('GET', classes, { headers: { 'x-kubernetes-peer-proxied': 'true' } });
  expect(status).toBe(404);
});

test('A request for what no server serves is answered with 404', async () => {
  expect((await older.send('GET', '/apis/storage.k8s.io/v1alpha9/volumeattributesclasses')).status).toBe(404);
});

test.each([
  {
    name: 'that advertises an address and a port',
    hostname: 'older',
    address: '192.0.2.7',
    port: 7443,
  },
  {
    name: 'that advertises no port',
    hostname: 'newer',
    address: '127.0.0.1',
    port: undefined,
  },
])('Other servers find a server $name', async ({ hostname, address, port }) => {
  const storageCodec = createInternalStorageCodec({
    apiVersion: 'v1',
    kind: 'Endpoints',
    typeId: 'core/v1.Endpoints',
    codecs,
    mediaType: 'application/vnd.kubernetes.protobuf',
  });
  const found = await new PeerEndpoints({ store, prefix: '/registry', storageCodec }).find(identityOf(hostname));
  expect(found).toEqual({ host: address, port: port ?? Number(new URL(newer.url).port) });
});

test('Requests that were passed on are counted by the code of their answers', async () => {
  expect((await older.send('GET', '/metrics')).text).toMatch(/^apiserver_rerouted_request_total\{code="201"\} 1$/m);
  expect((await newer.send('GET', '/metrics')).text).not.toContain('apiserver_rerouted_request_total{');
});

test('A server whose certificate is of no authority in --peer-ca-file gets no request', async () => {
  const before = (await newer.send('GET', '/metrics')).text;
  await using strict = await startTestServer({
    store,
    hostname: 'strict',
    flags: [
      gates,
      `--runtime-config=${internal}`,
      `--peer-ca-file=${await files.write('strangers.crt', files.frontProxyCa.certificate)}`,
      ...files.flags,
    ],
  });
  const answers = await Promise.all([
    strict.send('GET', classes),
    strict.send('POST', classes, { body: volumeClass('no') }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([503, 503]);
  expect(answers.map(({ text }) => text)).toEqual(
    answers.map(() => expect.stringMatching(/^error trying to reach service: .*certificate/)),
  );
  expect(requestsOf((await newer.send('GET', '/metrics')).text)).toBe(requestsOf(before));
});

test('A request is answered with 503 when the servers that serve it are gone', async () => {
  isGone = true;
  const answer = await older.send('GET', classes);
  expect(answer.status).toBe(503);
  expect(answer.json()).toMatchObject({
    reason: 'ServiceUnavailable',
    message: 'Error getting ip and port info of the remote server while proxying',
  });
});
