import { copyFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { TlsFiles } from '../../../src/etcd/endpoint.ts';
import { EtcdStore } from '../../../src/storage/etcd/store.ts';
import { WatchLog } from '../../../src/storage/testing/contract/support.ts';
import { createTestCertificates } from '../../support/certificates.ts';
import type { TestCertificates } from '../../support/certificates.ts';
import { EtcdServer, etcdVersions } from '../../support/etcd.ts';

function open(url: string, tls: TlsFiles): EtcdStore {
  const store = new EtcdStore({ endpoints: [url], tls });
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}

describe.each(etcdVersions)('etcd %s over TLS with client certificates', (version) => {
  let certificates: TestCertificates;
  let others: TestCertificates;
  let etcd: EtcdServer;

  beforeAll(async () => {
    certificates = await createTestCertificates();
    others = await createTestCertificates();
    etcd = await EtcdServer.start({ version, tls: { caFile: certificates.caFile, ...certificates.server } });
  });
  afterAll(async () => {
    await etcd[Symbol.asyncDispose]();
    await certificates[Symbol.asyncDispose]();
    await others[Symbol.asyncDispose]();
  });

  test('A store on etcd over TLS reads, writes and watches', async () => {
    const store = open(etcd.url, { caFile: certificates.caFile, ...certificates.client });
    const log = new WatchLog(store, '/tls/', { after: await store.currentRevision() });
    onTestFinished(() => log.stop());
    const value = Buffer.alloc(1_000_000, 'x');
    for (const name of ['a', 'b', 'c']) await store.create(`/tls/${name}`, value);
    expect((await store.list('/tls/')).kvs.map((kv) => kv.value.length)).toEqual([1_000_000, 1_000_000, 1_000_000]);
    expect((await log.untilEvents(3)).map((event) => event.key)).toEqual(['/tls/a', '/tls/b', '/tls/c']);
  });

  test('A store on etcd over TLS knows the server by name as well as by address', async () => {
    const store = open(`https://localhost:${etcd.port}`, { caFile: certificates.caFile, ...certificates.client });
    expect(await store.currentRevision()).toBeGreaterThan(0);
  });

  test('A store on etcd over TLS serves more watches than etcd allows streams on a connection', async () => {
    const store = open(etcd.url, { caFile: certificates.caFile, ...certificates.client });
    const after = await store.currentRevision();
    const logs = Array.from({ length: 300 }, () => new WatchLog(store, '/many/', { after }));
    onTestFinished(async () => void (await Promise.all(logs.map((log) => log.stop()))));
    const { revision } = await store.create('/many/a', Buffer.from('x'));
    for (const log of logs) await log.until((one) => one.revision >= revision);
  });

  test.each([
    {
      name: 'a server that it cannot trust',
      tls: () => ({ ...certificates.client, caFile: others.caFile }),
      says: /unable to verify|self.signed|signature|unable to get/,
    },
    {
      name: 'a client certificate of another authority',
      tls: () => ({ ...others.client, caFile: certificates.caFile }),
      says: /TLS: tlsv1 alert unknown ca|bad certificate|ECONNRESET|EPIPE|closed the connection/,
    },
    {
      name: 'no client certificate',
      tls: () => ({ caFile: certificates.caFile }),
      says: /certificate|ECONNRESET|EPIPE|closed the connection/,
    },
    {
      name: 'a file that is not there',
      tls: () => ({ caFile: '/nowhere/ca.crt' }),
      says: /ENOENT.*\/nowhere\/ca\.crt/,
    },
  ])('etcd over TLS with client certificates says why it cannot connect: $name', async ({ tls, says }) => {
    await expect(open(etcd.url, tls()).get('/a')).rejects.toMatchObject({
      reason: 'Unavailable',
      message: expect.stringMatching(new RegExp(`^no etcd endpoint answers: ${etcd.url}: .*(${says.source})`)),
    });
  });

  test('A store on etcd over TLS says so when the server speaks no TLS, or the client should', async () => {
    const plain = await EtcdServer.start({ version });
    onTestFinished(() => plain[Symbol.asyncDispose]());
    const tls = { caFile: certificates.caFile, ...certificates.client };
    await expect(open(plain.url.replace('http:', 'https:'), tls).get('/a')).rejects.toMatchObject({
      reason: 'Unavailable',
      message: expect.stringContaining('no etcd endpoint answers'),
    });
    await expect(open(etcd.url.replace('https:', 'http:'), tls).get('/a')).rejects.toMatchObject({
      reason: 'Unavailable',
      message: expect.stringContaining('no etcd endpoint answers'),
    });
  });

  test('A store on etcd over TLS uses renewed certificates for new connections', async () => {
    const caFile = `${certificates.caFile}.renewed`;
    await copyFile(others.caFile, caFile);
    const store = open(etcd.url, { caFile, ...certificates.client });
    await expect(store.get('/a')).rejects.toMatchObject({ reason: 'Unavailable' });
    await copyFile(certificates.caFile, caFile);
    expect((await store.get('/a')).revision).toBeGreaterThan(0);
  });
});
