import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import http2 from 'node:http2';
import { CompactSign, createRemoteJWKSet, customFetch, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, callServer, callServer2, startTestServer, type TestServer } from '../../support/caller.ts';
import { Openssl } from '../../support/openssl.ts';

const admin = ['authorization', 'Bearer admin-token'];
const issuer = 'https://issuer.example.com';
const oldIssuer = 'https://old.example.com';
const pem = (key: ReturnType<typeof generateKeyPairSync>['privateKey']) =>
  key.export({ type: 'pkcs8', format: 'pem' }) as string;
const spki = (key: ReturnType<typeof generateKeyPairSync>['publicKey']) =>
  key.export({ type: 'spki', format: 'pem' }) as string;

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const old = generateKeyPairSync('ec', { namedCurve: 'P-384' });
let openssl: Openssl;
let server: TestServer;
beforeAll(async () => {
  openssl = await Openssl.open();
  server = await startTestServer({
    flags: [
      '--token-auth-file',
      await openssl.file('tokens.csv', 'admin-token,admin,1,"system:masters"\n'),
      '--service-account-signing-key-file',
      await openssl.file('sa.key', pem(rsa.privateKey)),
      '--service-account-key-file',
      await openssl.file('sa.pub', spki(rsa.publicKey)),
      '--service-account-key-file',
      await openssl.file('old.pub', spki(old.publicKey)),
      '--service-account-issuer',
      issuer,
      '--service-account-issuer',
      oldIssuer,
      '--api-audiences=api,other',
      '--service-account-max-token-expiration=48h',
    ],
  });
});
afterAll(async () => {
  await server.close();
  await openssl[Symbol.asyncDispose]();
});

const send = async (method: string, path: string, body?: unknown): Promise<Answer> =>
  server.call({ method, path, headers: admin, ...(body === undefined ? {} : { body }) });
const core = (path: string): string => `/api/v1/namespaces/default/${path}`;

async function create(path: string, body: object): Promise<{ metadata: { uid: string } }> {
  const answer = await send('POST', path, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body as { metadata: { uid: string } };
}

/** By how much the metric of a kind of use grows. */
async function uses(kind: string, use: () => Promise<unknown>): Promise<number> {
  const value = async (): Promise<number> =>
    Number(new RegExp(`^serviceaccount_${kind}_total (\\d+)$`, 'm').exec((await send('GET', '/metrics')).text)?.[1]);
  const before = await value();
  await use();
  return (await value()) - before;
}

let count = 0;
/** A service account of its own per test. */
async function account(): Promise<{ name: string; uid: string }> {
  const name = `account-${++count}`;
  const { metadata } = await create(core('serviceaccounts'), { metadata: { name } });
  return { name, uid: metadata.uid };
}

const request = (name: string, spec: object = {}): Promise<Answer> =>
  send('POST', core(`serviceaccounts/${name}/token`), { spec });
const tokenOf = (answer: Answer): string => (answer.body as { status: { token: string } }).status.token;
const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
const whoIs = (token: string): Promise<unknown> => server.whoAmI({ headers: ['authorization', `Bearer ${token}`] });
const review = async (token: string, audiences?: string[]): Promise<unknown> =>
  (
    (
      await send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
        spec: { token, ...(audiences === undefined ? {} : { audiences }) },
      })
    ).body as { status: unknown }
  ).status;

describe('a token that was asked for', () => {
  test('names the account, its groups and the token', async () => {
    const { name, uid } = await account();
    const answer = await request(name);
    const token = tokenOf(answer);
    const claims = claimsOf(token);
    expect(Object.keys(claims)).toEqual(['aud', 'exp', 'iat', 'iss', 'jti', 'kubernetes.io', 'nbf', 'sub']);
    expect(claims).toMatchObject({
      aud: ['api', 'other'],
      iss: issuer,
      sub: `system:serviceaccount:default:${name}`,
      'kubernetes.io': { namespace: 'default', serviceaccount: { name, uid } },
    });
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(3600);
    expect(await whoIs(token)).toEqual({
      username: `system:serviceaccount:default:${name}`,
      uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${claims['jti'] as string}`] },
    });
  });

  test('is verified by what others find under the well-known address', async () => {
    const { name } = await account();
    const configuration = await server.call({ path: '/.well-known/openid-configuration', headers: admin });
    expect([configuration.headers['content-type'], configuration.headers['cache-control']]).toEqual([
      'application/json',
      'public, max-age=3600',
    ]);
    expect(configuration.body).toEqual({
      issuer,
      jwks_uri: expect.stringMatching(/^https:\/\/.+:\d+\/openid\/v1\/jwks$/),
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES384', 'RS256'],
    });
    const keys = createRemoteJWKSet(new URL('https://anywhere/openid/v1/jwks'), {
      [customFetch]: async (url: string) => {
        const answer = await callServer(server.url, server.ca, { path: new URL(url).pathname, headers: admin });
        expect(answer.headers['content-type']).toBe('application/jwk-set+json');
        return new Response(answer.text, { status: answer.status });
      },
    });
    const { payload } = await jwtVerify(tokenOf(await request(name)), keys, { issuer, audience: 'api' });
    expect(payload.sub).toBe(`system:serviceaccount:default:${name}`);
  });

  test('is for the audiences asked for only', async () => {
    const { name } = await account();
    const token = tokenOf(await request(name, { audiences: ['vault', 'other'] }));
    expect(await whoIs(token)).toMatchObject({ username: `system:serviceaccount:default:${name}` });
    expect(await review(token, ['other', 'vault', 'x'])).toMatchObject({
      authenticated: true,
      audiences: ['other', 'vault'],
    });
    const elsewhere = tokenOf(await request(name, { audiences: ['vault'] }));
    expect(await whoIs(elsewhere)).toBe(401);
    expect(await review(elsewhere)).toEqual({
      user: {},
      error: '[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["api" "other"]]',
    });
    expect(await review(elsewhere, ['vault'])).toMatchObject({ authenticated: true, audiences: ['vault'] });
  });

  test('is shortened to what is allowed, and says so', async () => {
    const { name } = await account();
    const answer = await request(name, { expirationSeconds: 7 * 24 * 3600 });
    expect(answer.headers['warning']).toBe(
      '299 - "requested expiration of 604800 seconds shortened to 172800 seconds"',
    );
    expect(answer.body).toMatchObject({ spec: { expirationSeconds: 172_800 } });
    const { exp, iat } = claimsOf(tokenOf(answer)) as { exp: number; iat: number };
    expect(exp - iat).toBe(172_800);
  });

  test('ends with its service account, and with one of the same name', async () => {
    const { name } = await account();
    const token = tokenOf(await request(name));
    await send('DELETE', core(`serviceaccounts/${name}`));
    expect(await whoIs(token)).toBe(401);
    expect(await review(token)).toEqual({
      user: {},
      error: `[invalid bearer token, serviceaccounts "${name}" not found]`,
    });
    const { metadata } = await create(core('serviceaccounts'), { metadata: { name } });
    const uid = (claimsOf(token)['kubernetes.io'] as { serviceaccount: { uid: string } }).serviceaccount.uid;
    expect(await review(token)).toEqual({
      user: {},
      error: `[invalid bearer token, service account UID (${metadata.uid}) does not match claim (${uid})]`,
    });
  });
});

const podOf = (serviceAccountName: string, more: object = {}) => ({
  metadata: { name: `pod-of-${serviceAccountName}` },
  spec: { serviceAccountName, containers: [{ name: 'c', image: 'i' }], ...more },
});

describe('a token that is bound', () => {
  test('to a pod names the pod and its node, and ends with the pod', async () => {
    const { name } = await account();
    const node = await create('/api/v1/nodes', { metadata: { name: `node-${name}` } });
    const pod = await create(core('pods'), podOf(name, { nodeName: `node-${name}`, terminationGracePeriodSeconds: 0 }));
    const token = tokenOf(
      await request(name, {
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: `pod-of-${name}`, uid: pod.metadata.uid },
      }),
    );
    expect(await whoIs(token)).toMatchObject({
      extra: {
        'authentication.kubernetes.io/pod-name': [`pod-of-${name}`],
        'authentication.kubernetes.io/pod-uid': [pod.metadata.uid],
        'authentication.kubernetes.io/node-name': [`node-${name}`],
        'authentication.kubernetes.io/node-uid': [node.metadata.uid],
      },
    });
    await send('DELETE', `${core('pods')}/pod-of-${name}?gracePeriodSeconds=0`);
    // Remembered for a moment under the audiences of requests; a review for one of them asks again.
    expect(await review(token, ['api'])).toEqual({
      user: {},
      error: '[invalid bearer token, service account token has been invalidated]',
    });
  });

  test('to a node or a secret ends with it', async () => {
    for (const [path, kind] of [
      [core('secrets'), 'Secret'],
      ['/api/v1/nodes', 'Node'],
    ] as const) {
      const { name } = await account();
      await create(path, { metadata: { name } });
      const token = tokenOf(await request(name, { boundObjectRef: { apiVersion: 'v1', kind, name } }));
      expect(await whoIs(token)).toMatchObject(
        kind === 'Node'
          ? { extra: { 'authentication.kubernetes.io/node-name': [name] } }
          : { username: `system:serviceaccount:default:${name}` },
      );
      await send('DELETE', `${path}/${name}`);
      expect(await review(token, ['api'])).toEqual({
        user: {},
        error: '[invalid bearer token, service account token has been invalidated]',
      });
    }
  });

  test('to a pod for 3607 seconds lives on for a year, as injected tokens do', async () => {
    const { name } = await account();
    await create(core('pods'), podOf(name));
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: `pod-of-${name}` };
    const answer = await request(name, { boundObjectRef, expirationSeconds: 3607, audiences: ['api'] });
    const {
      exp,
      iat,
      'kubernetes.io': about,
    } = claimsOf(tokenOf(answer)) as { exp: number; iat: number; 'kubernetes.io': { warnafter: number } };
    expect([exp - iat, about.warnafter - iat]).toEqual([31_536_000, 3607]);
    const { status, metadata } = answer.body as {
      status: { expirationTimestamp: string };
      metadata: { creationTimestamp: string };
    };
    expect(Date.parse(status.expirationTimestamp) - Date.parse(metadata.creationTimestamp)).toBe(3_607_000);
    const elsewhere = claimsOf(
      tokenOf(await request(name, { boundObjectRef, expirationSeconds: 3607, audiences: ['vault'] })),
    ) as { exp: number; iat: number };
    expect(elsewhere.exp - elsewhere.iat).toBe(3607);
  });

  test('to what it cannot be is refused', async () => {
    const { name } = await account();
    await create(core('pods'), podOf(name));
    const other = await account();
    const refused = async (spec: object, on = name): Promise<[number, unknown]> => {
      const answer = await request(on, spec);
      return [answer.status, answer.body['message']];
    };
    const ref = { apiVersion: 'v1', kind: 'Pod', name: `pod-of-${name}` };
    expect(await refused({ boundObjectRef: ref }, other.name)).toEqual([
      400,
      `cannot bind token for serviceaccount "${other.name}" to pod running with different serviceaccount name.`,
    ]);
    expect(await refused({ boundObjectRef: { ...ref, uid: 'x' } })).toEqual([
      409,
      `Operation cannot be fulfilled on Pod "pod-of-${name}": the UID in the bound object reference (x) does ` +
        'not match the UID in record. The object might have been deleted and then recreated',
    ]);
    expect(await refused({ boundObjectRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' } })).toEqual([
      400,
      'cannot bind token to object of type apps/v1, Kind=Deployment',
    ]);
    const named = await send('POST', core(`serviceaccounts/${name}/token`), { metadata: { name: 'x' } });
    expect([named.status, named.body['message']]).toEqual([
      422,
      `TokenRequest.authentication.k8s.io "${name}" is invalid: metadata.name: Invalid value: "x": must match ` +
        'the service account name if specified',
    ]);
  });
});

/** Signs claims without a request to the server, with any key. */
const forge = (claims: object, { key = rsa.privateKey, header = {} as object, alg = 'RS256' } = {}): Promise<string> =>
  new CompactSign(Buffer.from(JSON.stringify(claims))).setProtectedHeader({ alg, ...header }).sign(key);
const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

describe('tokens made by others', () => {
  async function validClaims(): Promise<Record<string, unknown> & { exp: number; 'kubernetes.io': object }> {
    const { name, uid } = await account();
    const now = Math.floor(Date.now() / 1000);
    return {
      iss: issuer,
      sub: `system:serviceaccount:default:${name}`,
      aud: ['api'],
      exp: now + 600,
      iat: now,
      nbf: now,
      'kubernetes.io': { namespace: 'default', serviceaccount: { name, uid } },
    };
  }

  test('with a key and an issuer of before are good', async () => {
    const claims = await validClaims();
    expect(
      await whoIs(await forge({ ...claims, iss: oldIssuer }, { key: old.privateKey, alg: 'ES384' })),
    ).toMatchObject({ username: claims['sub'] });
    expect(await whoIs(await forge(claims, { header: { kid: 'unknown' } }))).toMatchObject({ username: claims['sub'] });
  });

  test.each([
    { name: 'before clients should have another one', late: -60, counted: [1, 0] },
    { name: 'when clients should have another one', late: 60, counted: [0, 1] },
    { name: 'that end when they say', late: undefined, counted: [0, 0] },
  ])('are counted as valid or stale where they were extended: $name', async ({ late, counted }) => {
    const claims = await validClaims();
    const token = await forge({
      ...claims,
      'kubernetes.io': {
        ...claims['kubernetes.io'],
        ...(late === undefined ? {} : { warnafter: claims.exp - 600 - late }),
      },
    });
    const use = async (): Promise<void> => expect(await whoIs(token)).toMatchObject({ username: claims['sub'] });
    let stale = 0;
    expect([await uses('valid_tokens', async () => (stale = await uses('stale_tokens', use))), stale]).toEqual(counted);
  });

  test('of sixty thousand characters fit over HTTP/2, and larger ones over HTTP/1.1', async () => {
    const claims = await validClaims();
    const tokenFor = (audiences: number): Promise<string> =>
      forge({
        ...claims,
        aud: ['api', ...Array.from({ length: audiences }, (_, index) => `https://audience-${index}.example.com`)],
      });
    const [small, large] = [await tokenFor(1280), await tokenFor(2500)];
    expect([small.length > 58_000, small.length < 65_000, large.length > 100_000]).toEqual([true, true, true]);
    expect(await whoIs(large)).toMatchObject({ username: claims['sub'] });
    const session = http2.connect(server.url, {
      ca: server.ca,
      servername: 'localhost',
      maxSendHeaderBlockLength: 1 << 20,
    });
    expect(await callServer2(session, '/api', { authorization: `Bearer ${small}` })).toMatchObject({ status: 200 });
    session.destroy();
  });

  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const seconds = (offset: number): number => Math.floor(Date.now() / 1000) + offset;
  test.each([
    {
      name: 'no signature',
      make: (claims: object) => Promise.resolve(`${encode({ alg: 'none' })}.${encode(claims)}.`),
    },
    {
      name: 'no algorithm but a signature',
      make: async (claims: object) =>
        `${encode({ alg: 'none' })}.${encode(claims)}.${(await forge(claims)).split('.')[2]!}`,
    },
    {
      name: 'the public key as an HMAC secret',
      make: (claims: object) => {
        const signed = `${encode({ alg: 'HS256' })}.${encode(claims)}`;
        return Promise.resolve(
          `${signed}.${createHmac('sha256', spki(rsa.publicKey)).update(signed).digest('base64url')}`,
        );
      },
    },
    { name: 'another algorithm of the same key', make: (claims: object) => forge(claims, { alg: 'PS256' }) },
    { name: 'an unknown key', make: (claims: object) => forge(claims, { key: stranger.privateKey }) },
    {
      name: 'a key that the token brings along',
      make: (claims: object) =>
        forge(claims, {
          key: stranger.privateKey,
          header: { jwk: createPublicKey(stranger.privateKey).export({ format: 'jwk' }) },
        }),
    },
    {
      name: 'claims changed after signing',
      make: async (claims: object) => {
        const [header, , signature] = (await forge(claims)).split('.');
        return `${header!}.${encode({ ...claims, sub: 'system:serviceaccount:kube-system:admin' })}.${signature!}`;
      },
    },
    {
      name: 'extensions that must be understood',
      make: (claims: object) =>
        forge(claims, { header: { crit: ['b64'], b64: true } }).then(
          async (token) =>
            `${encode({ alg: 'RS256', crit: ['exotic'], exotic: 1 })}.${token.split('.')[1]!}.${token.split('.')[2]!}`,
        ),
    },
    { name: 'an end that has passed', make: (claims: object) => forge({ ...claims, exp: seconds(-61) }) },
    { name: 'no end', make: (claims: object) => forge({ ...claims, exp: undefined }) },
    { name: 'a start to come', make: (claims: object) => forge({ ...claims, nbf: seconds(90) }) },
    { name: 'a time of issue to come', make: (claims: object) => forge({ ...claims, iat: seconds(90) }) },
    { name: 'another issuer', make: (claims: object) => forge({ ...claims, iss: 'https://other.example.com' }) },
    { name: 'a list of issuers', make: (claims: object) => forge({ ...claims, iss: [issuer] }) },
    { name: 'another audience', make: (claims: object) => forge({ ...claims, aud: 'vault' }) },
    {
      name: 'another uid',
      make: (claims: object) =>
        forge({
          ...claims,
          'kubernetes.io': {
            ...(claims as { 'kubernetes.io': object })['kubernetes.io'],
            serviceaccount: { name: 'account-1', uid: 'x' },
          },
        }),
    },
    { name: 'nothing about the account', make: (claims: object) => forge({ ...claims, 'kubernetes.io': undefined }) },
    {
      name: 'a pod that is not there',
      make: (claims: object) =>
        forge({
          ...claims,
          'kubernetes.io': {
            ...(claims as { 'kubernetes.io': object })['kubernetes.io'],
            pod: { name: 'x', uid: 'y' },
          },
        }),
    },
  ])('with $name are refused', async ({ make }) => {
    const claims = await validClaims();
    expect(await whoIs(await forge(claims))).toMatchObject({ username: claims['sub'] });
    expect(await whoIs(await make(claims))).toBe(401);
  });
});

describe('tokens in secrets', () => {
  async function legacy(labels?: Record<string, string>): Promise<{ token: string; secret: string; user: string }> {
    const { name, uid } = await account();
    const secret = `secret-of-${name}`;
    const token = await forge({
      iss: 'kubernetes/serviceaccount',
      sub: `system:serviceaccount:default:${name}`,
      'kubernetes.io/serviceaccount/namespace': 'default',
      'kubernetes.io/serviceaccount/secret.name': secret,
      'kubernetes.io/serviceaccount/service-account.name': name,
      'kubernetes.io/serviceaccount/service-account.uid': uid,
    });
    const metadata = {
      name: secret,
      ...(labels === undefined ? {} : { labels }),
      annotations: { 'kubernetes.io/service-account.name': name, 'kubernetes.io/service-account.uid': uid },
    };
    await create(core('secrets'), { type: 'kubernetes.io/service-account-token', metadata, stringData: { token } });
    return { token, secret, user: `system:serviceaccount:default:${name}` };
  }

  test('are good while the secret holds them, and their use is noted', async () => {
    const { token, secret, user } = await legacy();
    expect(
      await uses('legacy_manual_token_uses', async () => expect(await whoIs(token)).toMatchObject({ username: user })),
    ).toBe(1);
    expect(await review(token)).toMatchObject({ audiences: ['api', 'other'] });
    const labels = async (): Promise<unknown> =>
      ((await send('GET', `${core('secrets')}/${secret}`)).body as { metadata: { labels?: unknown } }).metadata.labels;
    await expect
      .poll(labels)
      .toEqual({ 'kubernetes.io/legacy-token-last-used': new Date().toISOString().slice(0, 10) });
    await send('DELETE', `${core('secrets')}/${secret}`);
    expect(await review(token, ['api'])).toEqual({
      user: {},
      error: '[invalid bearer token, Token has been invalidated]',
    });
  });

  test('that are marked invalid, or that the secret does not hold, are not', async () => {
    const marked = await legacy({ 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' });
    expect(await uses('invalid_legacy_auto_token_uses', async () => expect(await whoIs(marked.token)).toBe(401))).toBe(
      1,
    );
    const { token, secret } = await legacy();
    await send('PUT', `${core('secrets')}/${secret}`, {
      ...(await send('GET', `${core('secrets')}/${secret}`)).body,
      data: { token: Buffer.from('x').toString('base64') },
    });
    expect(await review(token)).toEqual({
      user: {},
      error: "[invalid bearer token, Token does not match server's copy]",
    });
  });

  test('that a controller created are counted apart from those that a user created', async () => {
    const { token, secret, user } = await legacy();
    const path = core(`serviceaccounts/${user.split(':').at(-1)!}`);
    await send('PUT', path, { ...(await send('GET', path)).body, secrets: [{ name: secret }] });
    expect(
      await uses('legacy_tokens', async () => expect(await uses('legacy_auto_token_uses', () => whoIs(token))).toBe(1)),
    ).toBe(1);
  });

  test('since when that is kept stands in a config map', async () => {
    const { body } = await send(
      'GET',
      '/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking',
    );
    expect(body['data']).toEqual({ since: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
  });
});
