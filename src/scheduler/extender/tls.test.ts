/** What `enableHTTPS` and `tlsConfig` of an extender decide. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { caSubject, createAuthority, createClientPair, createServing } from '../../pki/pki.ts';
import type { ExtenderConfig, ExtenderTls } from '../config/types.ts';
import { podInfo } from '../testing/objects.ts';
import { HttpExtender } from './http-extender.ts';

const now = new Date();
const ca = createAuthority(caSubject, now);
const other = createAuthority(caSubject, now);
const serving = createServing(ca, { dnsNames: ['extender.example.com'], ipAddresses: [] }, now);
const client = createClientPair(ca, { commonName: 'scheduler' }, now);
const base64 = (pem: string): string => Buffer.from(pem).toString('base64');

let server: Server;
let folder: string;
/** Who asked last. */
let peer: string | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orch-extender-'));
  for (const [name, text] of Object.entries({ ca: ca.certificate, cert: client.certificate, key: client.key }))
    await writeFile(join(folder, name), text);
  const { certificate: cert, key } = serving;
  server = createServer(
    { cert, key, ca: ca.certificate, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      peer = (request.socket as TLSSocket).getPeerCertificate().subject?.CN as string | undefined;
      response.end('{}');
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true });
});

const configOf = (enableHttps: boolean, tls: ExtenderTls): ExtenderConfig => ({
  urlPrefix: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
  ...{ filterVerb: '', preemptVerb: '', prioritizeVerb: '', bindVerb: 'bind', weight: 1, timeoutMs: 5000 },
  ...{ nodeCacheCapable: true, managedResources: [], ignorable: false, enableHttps, tls },
});
async function ask(enableHttps: boolean, tls: ExtenderTls): Promise<string> {
  const extender = new HttpExtender(configOf(enableHttps, tls));
  try {
    peer = undefined;
    await extender.bind(podInfo(), 'a', new AbortController().signal);
    return `answered ${peer ?? 'an unknown client'}`;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  } finally {
    await extender.close();
  }
}

const serverName = 'extender.example.com';

test.each([
  { name: 'without authorities is not trusted', tls: { serverName }, result: 'SELF_SIGNED_CERT_IN_CHAIN' },
  {
    name: 'without authorities is trusted unverified with enableHTTPS',
    enableHttps: true,
    tls: {},
    result: 'answered an unknown client',
  },
  {
    name: 'of its authority in caData is trusted',
    tls: { serverName, caData: base64(ca.certificate) },
    result: 'answered an unknown client',
  },
  {
    name: 'of another authority is not trusted with enableHTTPS',
    enableHttps: true,
    tls: { serverName, caData: base64(other.certificate) },
    result: 'SELF_SIGNED_CERT_IN_CHAIN',
  },
  {
    name: 'of another name is not trusted',
    tls: { serverName: 'other.example.com', caData: base64(ca.certificate) },
    result: 'ERR_TLS_CERT_ALTNAME_INVALID',
  },
  { name: 'is not looked at with insecure', tls: { insecure: true }, result: 'answered an unknown client' },
  {
    name: 'sees the client certificate of certData and keyData',
    tls: { insecure: true, certData: base64(client.certificate), keyData: base64(client.key) },
    result: 'answered scheduler',
  },
])('An extender whose certificate $name', async ({ enableHttps = false, tls, result }) => {
  expect(await ask(enableHttps, tls)).toBe(result);
});

test('Files stand for the data of the same name', async () => {
  const [caFile, certFile, keyFile] = ['ca', 'cert', 'key'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  expect(await ask(true, { serverName, caFile, certFile, keyFile })).toBe('answered scheduler');
});

test.each([
  {
    name: 'authorities with insecure',
    tls: { insecure: true, caData: base64(ca.certificate) },
    message: 'specifying a root certificates file with the insecure flag is not allowed',
  },
  {
    name: 'a certificate without key',
    tls: { certData: base64(client.certificate) },
    message: 'a client certificate of an extender needs both certificate and key',
  },
])('An extender with $name is refused', ({ tls, message }) => {
  expect(() => new HttpExtender(configOf(false, tls))).toThrow(message);
});
