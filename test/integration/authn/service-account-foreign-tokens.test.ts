import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import http2 from 'node:http2';
import { CompactSign } from 'jose';
import { describe, expect, test } from 'vitest';
import { callServer2 } from '../../support/caller.ts';
import {
  issuer,
  oldIssuer,
  spki,
  rsa,
  old,
  server,
  send,
  core,
  create,
  account,
  whoIs,
  review,
  startBeforeTests,
} from '../../support/servers/service-accounts.ts';

startBeforeTests();

/** By how much the metric of a kind of use grows. */
async function uses(kind: string, use: () => Promise<unknown>): Promise<number> {
  const value = async (): Promise<number> =>
    Number(new RegExp(`^serviceaccount_${kind}_total (\\d+)$`, 'm').exec((await send('GET', '/metrics')).text)?.[1]);
  const before = await value();
  await use();
  return (await value()) - before;
}

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

  test('Tokens made by others with a key and an issuer of before are good', async () => {
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
  ])(
    'Tokens made by others are counted as valid or stale where they were extended: $name',
    async ({ late, counted }) => {
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
      expect([await uses('valid_tokens', async () => (stale = await uses('stale_tokens', use))), stale]).toEqual(
        counted,
      );
    },
  );

  test('Tokens of sixty thousand characters fit over HTTP/2, and larger ones over HTTP/1.1', async () => {
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
  ])('Tokens made by others with $name are refused', async ({ make }) => {
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

  test('Tokens in secrets are good while the secret holds them, and their use is noted', async () => {
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

  test('Tokens in secrets that are marked invalid, or that the secret does not hold, are not', async () => {
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

  test('Tokens in secrets that a controller created are counted apart from those that a user created', async () => {
    const { token, secret, user } = await legacy();
    const path = core(`serviceaccounts/${user.split(':').at(-1)!}`);
    await send('PUT', path, { ...(await send('GET', path)).body, secrets: [{ name: secret }] });
    expect(
      await uses('legacy_tokens', async () => expect(await uses('legacy_auto_token_uses', () => whoIs(token))).toBe(1)),
    ).toBe(1);
  });

  test('A config map says since when the use of tokens in secrets is kept', async () => {
    const { body } = await send(
      'GET',
      '/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking',
    );
    expect(body['data']).toEqual({ since: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
  });
});
