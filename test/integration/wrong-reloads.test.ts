/**
 * Files that flags name and that become wrong while the server runs: the content before stays in force, and a metric
 * and a log line say so.
 */
import { once } from 'node:events';
import http from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { createTestAuthorities, type TestAuthorities } from '../support/authorities.ts';
import { type Answer, type Call, callServer, startTestServer, type TestServer } from '../support/caller.ts';
import { replaceFile } from '../support/replace-file.ts';

const admin = ['authorization', 'Bearer admintoken'];
const head = (kind: string): string => `apiVersion: apiserver.config.k8s.io/v1\nkind: ${kind}\n`;
const aesKey = Buffer.alloc(32, 7).toString('base64');

let directory: string;
let authorities: TestAuthorities;
let server: TestServer;
/** What a webhook for tokens was shown, which knows none. */
const shown: (string | undefined)[] = [];
const judge = http.createServer(({ headers }, response) => {
  shown.push(headers.authorization);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end('{"apiVersion": "authentication.k8s.io/v1beta1", "kind": "TokenReview", "status": {}}');
});
/** What the server logs about files, oldest first. */
const said: string[] = [];

const at = (name: string): string => path.join(directory, name);
const write = (name: string, content: string): Promise<void> => replaceFile(at(name), content);
const call = (request: Call): Promise<Answer> => callServer(server.url, authorities.ca.certificate, request);
const metrics = async (): Promise<string> => (await call({ path: '/metrics', headers: admin })).text;
const valueOf = async (series: RegExp): Promise<number> => Number(series.exec(await metrics())?.[1] ?? 0);

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'orch-reloads-'));
  authorities = createTestAuthorities();
  const { certificate, key } = authorities.serving('localhost');
  const authority = authorities.ca.certificate;
  for (const name of ['client', 'proxy', 'agent', 'peer']) await write(`${name}-ca.crt`, authority);
  for (const name of ['serving', 'named', 'front', 'agent']) {
    await write(`${name}.crt`, certificate);
    await write(`${name}.key`, key);
  }
  await write('tokens.csv', 'admintoken,admin,1,"system:masters"\n');
  await write('authentication.yaml', `${head('AuthenticationConfiguration').replace('/v1\n', '/v1beta1\n')}jwt: []\n`);
  await write('authorization.yaml', `${head('AuthorizationConfiguration')}authorizers: [{type: RBAC, name: rbac}]\n`);
  await write(
    'encryption.yaml',
    `${head('EncryptionConfiguration')}resources: [{resources: [secrets], providers: ` +
      `[{aesgcm: {keys: [{name: k, secret: ${aesKey}}]}}]}]\n`,
  );
  await write('judge.crt', certificate);
  await write('judge.key', key);
  await write('judge-token', 'shown\n');
  judge.listen(0, '127.0.0.1');
  await once(judge, 'listening');
  const { port } = judge.address() as AddressInfo;
  const user = { tokenFile: 'judge-token', 'client-certificate': 'judge.crt', 'client-key': 'judge.key' };
  const connection = {
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}/` } }],
    users: [{ name: 'u', user }],
  };
  await write('judge.yaml', JSON.stringify({ ...connection, 'current-context': 'c' }));
  const note = (details: object, message: string): void => {
    const { file, files, err } = details as { file?: string; files?: readonly string[]; err?: Error };
    said.push(`${(files ?? [file]).join(' ')}: ${message}: ${err?.message}`);
  };
  server = await startTestServer({
    fileCheckMs: 20,
    controllers: false,
    log: { ...silentLogger, warn: note, error: note },
    flags: [
      `--token-auth-file=${at('tokens.csv')}`,
      `--client-ca-file=${at('client-ca.crt')}`,
      `--requestheader-client-ca-file=${at('proxy-ca.crt')}`,
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-allowed-names=front',
      `--tls-cert-file=${at('serving.crt')}`,
      `--tls-private-key-file=${at('serving.key')}`,
      `--tls-sni-cert-key=${at('named.crt')},${at('named.key')}`,
      `--proxy-client-cert-file=${at('front.crt')}`,
      `--proxy-client-key-file=${at('front.key')}`,
      `--nodeagent-certificate-authority=${at('agent-ca.crt')}`,
      `--nodeagent-client-certificate=${at('agent.crt')}`,
      `--nodeagent-client-key=${at('agent.key')}`,
      '--feature-gates=StorageVersionAPI=true,UnknownVersionInteroperabilityProxy=true',
      '--runtime-config=internal.apiserver.k8s.io/v1alpha1=true',
      `--peer-ca-file=${at('peer-ca.crt')}`,
      `--authentication-config=${at('authentication.yaml')}`,
      `--authentication-token-webhook-config-file=${at('judge.yaml')}`,
      '--authentication-token-webhook-cache-ttl=0s',
      `--authorization-config=${at('authorization.yaml')}`,
      `--encryption-provider-config=${at('encryption.yaml')}`,
      '--encryption-provider-config-automatic-reload=true',
    ],
  });
});
afterAll(async () => {
  await server.close();
  judge.close();
  judge.closeAllConnections();
  await rm(directory, { recursive: true });
});

const ofFile = (name: string): RegExp =>
  new RegExp(`^orch_file_reloads_total\\{file="[^"]*/${name}",status="failure"\\} (\\d+)$`, 'm');
const ofDocument = (which: string): RegExp =>
  new RegExp(
    `^apiserver_${which}_config_controller_automatic_reloads_total\\{[^}]*status="failure"[^}]*\\} (\\d+)$`,
    'm',
  );

const noCertificate = /data does not contain any valid RSA or ECDSA certificates/;
const noPair = /do not belong together, or cannot be read as PEM/;
const noYaml = /yaml: line 1: did not find expected node content/;

describe('files that become wrong', () => {
  test.each([
    { name: 'client-ca.crt', reason: noCertificate },
    { name: 'proxy-ca.crt', reason: noCertificate },
    { name: 'agent-ca.crt', reason: noCertificate },
    { name: 'peer-ca.crt', reason: noCertificate },
    { name: 'serving.crt', reason: noPair },
    { name: 'named.key', reason: noPair },
    { name: 'front.crt', reason: noPair },
    { name: 'agent.key', reason: noPair },
    { name: 'authentication.yaml', reason: noYaml, series: ofDocument('authentication') },
    { name: 'authorization.yaml', reason: noYaml, series: ofDocument('authorization') },
    { name: 'encryption.yaml', reason: noYaml, series: ofDocument('encryption') },
  ])(
    'A server whose $name becomes wrong counts it and logs file and reason',
    async ({ name, reason, series = ofFile(name) }) => {
      expect(await valueOf(series)).toBe(0);
      await write(name, 'not what is wanted: [');
      await expect.poll(() => valueOf(series)).toBeGreaterThan(0);
      const line = said.find((text) => text.includes(at(name)) && reason.test(text));
      expect(line).toMatch(/the one before stays in force/);
    },
  );

  test.each([
    { name: 'judge-token', content: '', reason: /read empty token from file/ },
    { name: 'judge.key', content: 'half of a k', reason: /do not belong together/ },
  ])('Credentials for a webhook stay those from before when $name becomes wrong', async ({ name, content, reason }) => {
    const ask = (): Promise<Answer> => call({ path: '/api', headers: ['authorization', 'Bearer of-whom'] });
    await ask();
    await write(name, content);
    await expect
      .poll(async () => {
        await ask();
        return valueOf(ofFile(name));
      })
      .toBe(1);
    expect(said.find((text) => text.includes(at(name)) && reason.test(text))).toMatch(/before stays in force/);
    expect(shown.at(-1)).toBe('Bearer shown');
  });

  test('A file that is gone is counted and logged once', async () => {
    await rm(at('client-ca.crt'));
    await expect.poll(() => valueOf(ofFile('client-ca.crt'))).toBe(2);
    expect(said.filter((text) => /client-ca\.crt: .*no such file/.test(text))).toHaveLength(1);
  });

  test('A server with wrong files serves and decides as before', async () => {
    const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const known = await call({ method: 'POST', path: reviews, body: {}, certificate: authorities.client() });
    expect(known.body).toMatchObject({ status: { userInfo: { username: 'orch-admin' } } });
    const secrets = '/api/v1/namespaces/default/secrets';
    const body = { metadata: { name: 's' }, stringData: { a: 'b' } };
    expect((await call({ method: 'POST', path: secrets, headers: admin, body })).status).toBe(201);
    expect((await call({ path: secrets, headers: ['authorization', 'Bearer unknown'] })).status).toBe(401);
    const { hostname, port } = new URL(server.url);
    for (const servername of ['localhost', 'other']) {
      const socket = tls.connect({ host: hostname, port: Number(port), servername, rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      expect(socket.getPeerX509Certificate()?.subjectAltName).toBe('DNS:localhost');
      socket.destroy();
    }
  });

  test('A file that is right again is taken, and counted', async () => {
    const { certificate, key } = authorities.serving('renewed');
    await write('serving.crt', certificate);
    await write('serving.key', key);
    const series = /^orch_file_reloads_total\{file="[^"]*\/serving\.crt",status="success"\} (\d+)$/m;
    await expect.poll(() => valueOf(series)).toBe(1);
    expect(
      await valueOf(/^orch_file_reload_last_timestamp_seconds\{file="[^"]*\/serving\.key",status="success"\} (\d+)/m),
    ).toBeGreaterThan(1e9);
  });
});
