/** Flags of authentication that no other test sets: what each of them changes. */
import { generateKeyPairSync } from 'node:crypto';
import { CompactSign } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, startTestServer, type TestServer } from '../../support/caller.ts';
import { clientId, OidcIssuer } from '../../support/oidc-issuer.ts';
import { Openssl } from '../../support/openssl.ts';

let openssl: Openssl;
let adminFlags: string[];
beforeAll(async () => {
  openssl = await Openssl.open();
  adminFlags = ['--token-auth-file', await openssl.file('tokens.csv', 'admin-token,admin,1,"system:masters"\n')];
});
afterAll(() => openssl[Symbol.asyncDispose]());

const bearer = (token: string) => ({ headers: ['authorization', `Bearer ${token}`] });
const post = (server: TestServer, path: string, body: object): Promise<Answer> =>
  server.call({ method: 'POST', path, ...bearer('admin-token'), body });

test.each([
  {
    name: 'is good with --enable-bootstrap-token-auth',
    flags: ['--enable-bootstrap-token-auth'],
    who: { username: 'system:bootstrap:abcdef', groups: ['system:bootstrappers', 'system:authenticated'] },
  },
  { name: 'is refused without', flags: [], who: 401 },
])('A token of a bootstrap secret $name', async ({ flags, who }) => {
  await using server = await startTestServer({ flags: [...adminFlags, ...flags] });
  const stringData = {
    'token-id': 'abcdef',
    'token-secret': '0123456789abcdef',
    'usage-bootstrap-authentication': 'true',
  };
  expect(
    (
      await post(server, '/api/v1/namespaces/kube-system/secrets', {
        metadata: { name: 'bootstrap-token-abcdef' },
        type: 'bootstrap.kubernetes.io/token',
        stringData,
      })
    ).status,
  ).toBe(201);
  expect(await server.whoAmI(bearer('abcdef.0123456789abcdef'))).toEqual(who);
});

test('--requestheader-uid-headers are where a front proxy names the id of a user', async () => {
  const proxies = await openssl.authority('proxies');
  const flags = [
    '--requestheader-client-ca-file',
    await openssl.file('proxies.crt', proxies.certificate),
    '--requestheader-username-headers=X-Remote-User',
  ];
  const call = {
    certificate: await openssl.issue({ subject: '/CN=proxy', issuer: proxies }),
    headers: ['X-Remote-User', 'jane', 'X-Remote-Uid', '7', 'X-Own-Uid', '8'],
  };
  for (const [header, uid] of [
    ['X-Remote-Uid', '7'],
    ['X-Own-Uid', '8'],
    ['X-No-Uid', undefined],
  ]) {
    await using server = await startTestServer({
      flags: [...flags, '--feature-gates=RemoteRequestHeaderUID=true', `--requestheader-uid-headers=${header!}`],
    });
    expect(await server.whoAmI(call)).toEqual({
      username: 'jane',
      groups: ['system:authenticated'],
      ...(uid === undefined ? {} : { uid }),
    });
  }
});

describe('service accounts', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const issuer = 'https://issuer.example.com';
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  const start = async (...flags: string[]): Promise<TestServer> =>
    startTestServer({
      flags: [
        ...adminFlags,
        '--service-account-signing-key-file',
        await openssl.file('sa.key', rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string),
        '--service-account-issuer',
        issuer,
        '--api-audiences=api',
        ...flags,
      ],
    });
  const robot = async (server: TestServer): Promise<string> =>
    ((await post(server, accounts, { metadata: { name: 'robot' } })).body as { metadata: { uid: string } }).metadata
      .uid;

  test.each([
    {
      name: 'is good with --service-account-lookup=false',
      flags: ['--service-account-lookup=false'],
      who: expect.objectContaining({ username: 'system:serviceaccount:default:robot' }) as object,
    },
    { name: 'is refused by default', flags: [], who: 401 },
  ])('A token in a secret that is gone $name', async ({ flags, who }) => {
    await using server = await start(...flags);
    const claims = {
      iss: 'kubernetes/serviceaccount',
      sub: 'system:serviceaccount:default:robot',
      'kubernetes.io/serviceaccount/namespace': 'default',
      'kubernetes.io/serviceaccount/secret.name': 'gone',
      'kubernetes.io/serviceaccount/service-account.name': 'robot',
      'kubernetes.io/serviceaccount/service-account.uid': await robot(server),
    };
    const token = await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'RS256' })
      .sign(rsa.privateKey);
    expect(await server.whoAmI(bearer(token))).toEqual(who);
  });

  test.each([
    {
      name: 'as asked for with --service-account-extend-token-expiration=false',
      flags: ['--service-account-extend-token-expiration=false'],
      seconds: 3607,
    },
    { name: 'a year usually', flags: [], seconds: 31_536_000 },
  ])('A token as it is injected into a pod lives $name', async ({ flags, seconds }) => {
    await using server = await start(...flags);
    await robot(server);
    await post(server, '/api/v1/namespaces/default/pods', {
      metadata: { name: 'p' },
      spec: { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] },
    });
    const { body } = await post(server, `${accounts}/robot/token`, {
      spec: { expirationSeconds: 3607, boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p' } },
    });
    const { token } = (body as { status: { token: string } }).status;
    const { exp, iat } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
      exp: number;
      iat: number;
    };
    expect(exp - iat).toBe(seconds);
  });

  test('--service-account-jwks-uri is where the keys are said to be', async () => {
    await using server = await start('--service-account-jwks-uri=https://keys.example.com/jwks');
    const { body } = await server.call({ path: '/.well-known/openid-configuration', ...bearer('admin-token') });
    expect(body).toMatchObject({ issuer, jwks_uri: 'https://keys.example.com/jwks' });
  });
});

describe('ID tokens', () => {
  let issuer: OidcIssuer;
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  beforeAll(async () => {
    issuer = await OidcIssuer.start(openssl);
  });
  afterAll(() => issuer[Symbol.asyncDispose]());

  const start = async (...flags: string[]): Promise<TestServer> =>
    startTestServer({
      flags: [
        `--oidc-issuer-url=${issuer.url}`,
        `--oidc-client-id=${clientId}`,
        '--oidc-ca-file',
        await openssl.file('issuer-ca.crt', issuer.ca),
        ...flags,
      ],
    });
  const known = (server: TestServer, token: string) =>
    expect.poll(() => server.whoAmI(bearer(token)), { timeout: 20_000 });

  test('--oidc-username-claim names the user; an email address gets no prefix', async () => {
    await using server = await start('--oidc-username-claim=email');
    await known(server, await issuer.token({ sub: '7', email: 'jane@example.com' })).toMatchObject({
      username: 'jane@example.com',
    });
    expect(await server.whoAmI(bearer(await issuer.token({ sub: 'jane' })))).toBe(401);
  });

  test('--oidc-signing-algs are those that count; without it RS256 does', async () => {
    const now = Math.floor(Date.now() / 1000);
    const byEc = await new CompactSign(
      Buffer.from(JSON.stringify({ iss: issuer.url, aud: clientId, sub: 'jane', exp: now + 600, iat: now })),
    )
      .setProtectedHeader({ alg: 'ES256', kid: 'ec' })
      .sign(ec.privateKey);
    const byRsa = await issuer.token({ sub: 'jane' });
    const published = issuer.publishedKeys();
    issuer.pages.set('/jwks', () =>
      Promise.resolve({
        status: 200,
        body: JSON.stringify({
          keys: [...published, { ...ec.publicKey.export({ format: 'jwk' }), kid: 'ec', use: 'sig', alg: 'ES256' }],
        }),
        headers: { 'content-type': 'application/json' },
      }),
    );
    const jane = { username: `${issuer.url}#jane` };
    {
      await using server = await start('--oidc-signing-algs=ES256');
      await known(server, byEc).toMatchObject(jane);
      expect(await server.whoAmI(bearer(byRsa))).toBe(401);
    }
    await using server = await start();
    await known(server, byRsa).toMatchObject(jane);
    expect(await server.whoAmI(bearer(byEc))).toBe(401);
  });
});
