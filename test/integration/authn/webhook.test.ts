import https from 'node:https';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../support/caller.ts';
import { Openssl, type OpensslPair } from '../../support/openssl.ts';

interface Review {
  readonly apiVersion: string;
  readonly spec: { readonly token: string; readonly audiences?: readonly string[] };
}

let openssl: Openssl;
let authority: OpensslPair;
let webhook: https.Server;
let server: TestServer;
/** The file that names the webhook. */
let connection: string;
let asked: Review[] = [];
let callers: string[] = [];
/** What is answered next; then the usual again. */
let troubles: (() => { status: number; body: string })[] = [];

const answers: Readonly<Record<string, object>> = {
  good: {
    authenticated: true,
    user: { username: 'jane', uid: '7', groups: ['devs'], extra: { 'acme.com/team': ['red'] } },
  },
  vault: { authenticated: true, user: { username: 'jane' }, audiences: ['vault'] },
  bad: { authenticated: false, error: 'the token was withdrawn' },
  unknown: { authenticated: false },
};

beforeAll(async () => {
  openssl = await Openssl.open();
  const ca = (authority = await openssl.authority('webhook-ca'));
  const shown = await openssl.issue({
    subject: '/CN=webhook',
    issuer: ca,
    extensions: ['extendedKeyUsage=serverAuth', 'subjectAltName=DNS:webhook.example.com'],
  });
  const client = await openssl.issue({ subject: '/CN=apiserver', issuer: ca });
  webhook = https.createServer(
    { cert: shown.certificate, key: shown.key, ca: ca.certificate, requestCert: true },
    (request, response) => {
      void request.toArray().then((chunks) => {
        const review = JSON.parse(Buffer.concat(chunks as Buffer[]).toString()) as Review;
        asked.push(review);
        callers.push((request.socket as TLSSocket).getPeerCertificate().subject.CN as string);
        const trouble = troubles.shift()?.();
        response.writeHead(trouble?.status ?? 200, { 'content-type': 'application/json' });
        response.end(
          trouble?.body ??
            JSON.stringify({
              apiVersion: review.apiVersion,
              kind: 'TokenReview',
              status: answers[review.spec.token] ?? answers['unknown'],
            }),
        );
      });
    },
  );
  webhook.listen(0, '127.0.0.1');
  await once(webhook, 'listening');
  await openssl.file('ca.crt', ca.certificate);
  connection = await openssl.file(
    'webhook.yaml',
    `
apiVersion: v1
kind: Config
clusters:
- name: hook
  cluster:
    server: "https://127.0.0.1:${(webhook.address() as AddressInfo).port}/review"
    certificate-authority: ca.crt
    tls-server-name: webhook.example.com
users:
- name: me
  user:
    client-certificate-data: ${Buffer.from(client.certificate).toString('base64')}
    client-key-data: ${Buffer.from(client.key).toString('base64')}
contexts: [{ name: c, context: { cluster: hook, user: me } }]
current-context: c
`,
  );
  server = await startTestServer({
    flags: [
      '--authentication-token-webhook-config-file',
      connection,
      '--authentication-token-webhook-version=v1',
      '--api-audiences=api',
    ],
  });
});
afterAll(async () => {
  await server.close();
  webhook.close();
  await openssl[Symbol.asyncDispose]();
});
beforeEach(() => {
  asked = [];
  callers = [];
  troubles = [];
});

const whoIs = (token: string): Promise<unknown> => server.whoAmI({ headers: ['authorization', `Bearer ${token}`] });

describe('the token webhook', () => {
  test('The token webhook is asked once with token and audiences, over TLS with both certificates', async () => {
    const user = {
      username: 'jane',
      uid: '7',
      groups: ['devs', 'system:authenticated'],
      extra: { 'acme.com/team': ['red'] },
    };
    expect([await whoIs('good'), await whoIs('good')]).toEqual([user, user]);
    expect(asked).toMatchObject([
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'good', audiences: ['api'] } },
    ]);
    expect(callers).toEqual(['apiserver']);
  });

  test('The token webhook refuses the token, or names another audience', async () => {
    expect([await whoIs('unknown'), await whoIs('unknown'), await whoIs('vault'), await whoIs('bad')]).toEqual([
      401, 401, 401, 401,
    ]);
    expect(asked.map(({ spec }) => spec.token)).toEqual(['unknown', 'vault', 'bad']);
  });

  test('A token webhook is asked again after an error, and when it goes on failing the answer is 401', async () => {
    troubles = [() => ({ status: 500, body: '{}' })];
    expect(await whoIs('good-later')).toBe(401);
    expect(asked.length).toBe(2);
    troubles = [() => ({ status: 403, body: '{}' })];
    expect(await whoIs('refused')).toBe(401);
    expect(asked.length).toBe(3);
    expect((await server.call({ path: '/metrics', headers: ['authorization', 'Bearer good'] })).text).toMatch(
      /^rest_client_requests_total\{code="403",host="127\.0\.0\.1:\d+",method="POST"\} 1$/m,
    );
  });

  test.each([
    {
      name: 'another version',
      body:
        '{"apiVersion":"authentication.k8s.io/v1beta1","kind":"TokenReview","status":{"authenticated":true,' +
        '"user":{"username":"root"}}}',
    },
    { name: 'no JSON', body: '<html>' },
    { name: 'null', body: 'null' },
    { name: 'far too much', body: `"${'x'.repeat(2 << 20)}"` },
  ])('An answer with $name authenticates no one', async ({ name, body }) => {
    troubles = [() => ({ status: 200, body })];
    expect(await whoIs(`answer ${name}`.replaceAll(' ', '-'))).toBe(401);
  });

  test('Callers with one token cause one question to the token webhook', async () => {
    await Promise.all(Array.from({ length: 10 }, () => whoIs('many')));
    expect(asked.length).toBe(1);
  });
});

test('With --authentication-token-webhook-cache-ttl=0s no answer is kept', async () => {
  await using forgetful = await startTestServer({
    flags: [
      '--authentication-token-webhook-config-file',
      connection,
      '--authentication-token-webhook-version=v1',
      '--authentication-token-webhook-cache-ttl=0s',
    ],
  });
  for (let i = 0; i < 2; i++) expect(await forgetful.whoAmI({ headers: ['authorization', 'Bearer nobody'] })).toBe(401);
  expect(asked.map(({ spec }) => spec.token)).toEqual(['nobody', 'nobody']);
});

describe('the connection file of the token webhook', () => {
  test('The connection file of the token webhook has its certificate and key read again, itself not', async () => {
    const [first, second] = [
      await openssl.issue({ subject: '/CN=first', issuer: authority }),
      await openssl.issue({ subject: '/CN=second', issuer: authority }),
    ];
    const [certificate, key] = [
      await openssl.file('client.crt', first.certificate),
      await openssl.file('client.key', first.key),
    ];
    const text =
      '{ clusters: [{ name: a, cluster: { server: ' +
      `"https://127.0.0.1:${(webhook.address() as AddressInfo).port}/review", certificate-authority: ca.crt, ` +
      'tls-server-name: webhook.example.com } }], users: [{ name: me, user: { client-certificate: client.crt, ' +
      'client-key: client.key } }], contexts: [{ name: c, context: { cluster: a, user: me } }], current-context: ' +
      'c }';
    const file = await openssl.file('by-files.yaml', text);
    await using renewed = await startTestServer({
      flags: [
        '--authentication-token-webhook-config-file',
        file,
        '--authentication-token-webhook-version=v1',
        '--api-audiences=api',
      ],
      fileCheckMs: 20,
    });
    let count = 0;
    const caller = async (): Promise<string | undefined> => {
      callers = [];
      await renewed.whoAmI({ headers: ['authorization', `Bearer token-${count++}`] });
      return callers[0];
    };
    expect(await caller()).toBe('first');
    await writeFile(file, 'nonsense');
    await writeFile(certificate, second.certificate);
    expect(await caller()).toBe('first');
    await writeFile(key, second.key);
    await expect.poll(caller, { timeout: 20_000 }).toBe('second');
    await rm(key);
    expect(await caller()).toBe('second');
  });
});
