/** `--store-cafile`, `--store-certfile`, `--store-keyfile` and `--store-servers-overrides` in a whole server. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EtcdStore } from '../../../src/storage/etcd/store.ts';
import { createTestCertificates, type TestCertificates } from '../../support/certificates.ts';
import { EtcdServer } from '../../support/etcd.ts';
import { type ApiUsers, startApiUsers } from '../../support/api-users.ts';

let certificates: TestCertificates;
/** Ask for client certificates. */
let main: EtcdServer;
let ofEvents: EtcdServer;
let api: ApiUsers;

beforeAll(async () => {
  certificates = await createTestCertificates();
  const tls = { caFile: certificates.caFile, ...certificates.server };
  [main, ofEvents] = await Promise.all([EtcdServer.start({ tls }), EtcdServer.start({ tls })]);
  const { certFile, keyFile } = certificates.client;
  api = await startApiUsers({}, [
    `--store-servers=${main.url}`,
    `--store-servers-overrides=/events#${ofEvents.url}`,
    ...[`--store-cafile=${certificates.caFile}`, `--store-certfile=${certFile}`, `--store-keyfile=${keyFile}`],
  ]);
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await Promise.all([main[Symbol.asyncDispose](), ofEvents[Symbol.asyncDispose]()]);
  await certificates[Symbol.asyncDispose]();
});

async function keysOf({ url }: EtcdServer, prefix: string): Promise<string[]> {
  const tls = { caFile: certificates.caFile, ...certificates.client };
  await using store = new EtcdStore({ endpoints: [url], tls });
  return (await store.list(prefix)).kvs.map(({ key }) => key);
}

test('Objects are kept by etcd over TLS, and those of a resource with servers of its own there alone', async () => {
  await api.create('/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } });
  const involvedObject = { namespace: 'default' };
  await api.create('/api/v1/namespaces/default/events', { metadata: { name: 'e' }, involvedObject });
  const configMap = '/registry/configmaps/default/a';
  expect(await keysOf(main, configMap)).toEqual([configMap]);
  expect(await keysOf(main, '/registry/events/')).toEqual([]);
  expect(await keysOf(ofEvents, '/registry/')).toEqual(['/registry/events/default/e']);
  const { body } = await api.call('admin', 'GET', '/api/v1/namespaces/default/events');
  expect(body.items).toHaveLength(1);
});
