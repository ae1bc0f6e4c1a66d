import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApiServer } from '../../../src/apiserver/api-server.ts';
import { startControlPlane } from '../../../src/cmd/control-plane.ts';
import { serverConfig } from '../../../src/cmd/start-api-server.ts';
import { openEmbeddedStore } from '../../../src/storage/embedded/open.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/caller.ts';
import { encode, JwtSigner, signerKey } from '../../support/jwt-signer.ts';
import { Openssl } from '../../support/openssl.ts';
import { joined } from '../../support/patterns.ts';

const admin = ['authorization', 'Bearer admin-token'];
const issuer = 'https://issuer.example.com';

let openssl: Openssl;
let signer: JwtSigner;
let server: TestServer;
const flags = async (at: JwtSigner, ...more: string[]): Promise<string[]> => [
  '--token-auth-file',
  await openssl.file('tokens.csv', 'admin-token,admin,1,"system:masters"\n'),
  '--feature-gates=ExternalServiceAccountTokenSigner=true',
  '--service-account-signing-endpoint',
  at.socket,
  '--service-account-issuer',
  issuer,
  '--api-audiences=api',
  ...more,
];
beforeAll(async () => {
  openssl = await Openssl.open();
  signer = await JwtSigner.create();
  signer.keys = [signerKey('first'), signerKey('retired', true)];
  await signer.listen();
  server = await startTestServer({ flags: await flags(signer, '--request-timeout=3s') });
  expect(
    (await send('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } })).status,
  ).toBe(201);
});
afterAll(async () => {
  await server.close();
  await signer[Symbol.asyncDispose]();
  await openssl[Symbol.asyncDispose]();
});
beforeEach(() => {
  signer.answers = {};
  signer.calls.length = 0;
});

const send = async (method: string, path: string, body?: unknown): Promise<Answer> =>
  server.call({ method, path, headers: admin, ...(body === undefined ? {} : { body }) });
const request = (spec: object = {}): Promise<Answer> =>
  send('POST', '/api/v1/namespaces/default/serviceaccounts/robot/token', { spec });
const tokenOf = (answer: Answer): string => {
  if (answer.status !== 201) throw new Error(answer.text);
  return (answer.body as { status: { token: string } }).status.token;
};
const partOf = (token: string, index: 0 | 1): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[index]!, 'base64url').toString()) as Record<string, unknown>;
const whoIs = (token: string): Promise<unknown> => server.whoAmI({ headers: ['authorization', `Bearer ${token}`] });
const keyNames = ({ text }: Answer): string[] =>
  (JSON.parse(text) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
const robot = { username: 'system:serviceaccount:default:robot' };

describe('a token that another program signs', () => {
  test('A token that another program signs has the header that the signer made, and is good', async () => {
    const token = tokenOf(await request());
    expect(partOf(token, 0)).toEqual({ alg: 'ES256', kid: 'first', typ: 'JWT' });
    expect(partOf(token, 1)).toMatchObject({ iss: issuer, aud: ['api'], sub: robot.username });
    expect(await whoIs(token)).toMatchObject(robot);
    expect(signer.calls).toEqual(['Sign']);
  });

  test('A token that another program signs lives no longer than the signer allows', async () => {
    const answer = await request({ expirationSeconds: 48 * 3600 });
    expect(answer.headers['warning']).toBe('299 - "requested expiration of 172800 seconds shortened to 86400 seconds"');
    await send('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: 'p' },
      spec: { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] },
    });
    const { exp, iat } = partOf(
      tokenOf(await request({ expirationSeconds: 3607, boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p' } })),
      1,
    ) as { exp: number; iat: number };
    expect(exp - iat).toBe(86_400);
  });

  test('A token that another program signs of a key that is not published verifies all the same', async () => {
    const token = tokenOf(await request());
    const claims = token.split('.')[1]!;
    const { header, signature } = signer.signed(claims, signer.keys[1]);
    expect(await whoIs(`${header}.${claims}.${signature}`)).toMatchObject(robot);
    const jwks = await send('GET', '/openid/v1/jwks');
    expect(keyNames(jwks)).toEqual(['first']);
    expect(Number(/^public, max-age=(\d+)$/.exec(String(jwks.headers['cache-control']))![1])).toBeLessThanOrEqual(3600);
    expect((await send('GET', '/.well-known/openid-configuration')).body).toMatchObject({
      issuer,
      id_token_signing_alg_values_supported: ['ES256'],
    });
  });

  test('A token of a new key of an external signer is accepted at once, of an unknown key refused', async () => {
    signer.keys = [signerKey('second'), ...signer.keys];
    const token = tokenOf(await request());
    expect(partOf(token, 0)['kid']).toBe('second');
    expect(await whoIs(token)).toMatchObject(robot);
    expect(signer.calls).toEqual(['Sign', 'FetchKeys']);
    expect(keyNames(await send('GET', '/openid/v1/jwks'))).toEqual(['second', 'first']);
    const claims = token.split('.')[1]!;
    const { header, signature } = signer.signed(claims, signerKey('nobody'));
    const review = await send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
      spec: { token: `${header}.${claims}.${signature}` },
    });
    expect(review.body['status']).toEqual({
      user: {},
      error: '[invalid bearer token, invalid signature, no keys found]',
    });
  });

  test.each([
    {
      name: 'is no base64url',
      header: () => 'a=b',
      message: 'while validating header: while unwrapping header: illegal base64 data',
    },
    {
      name: 'is no JSON',
      header: () => Buffer.from('{').toString('base64url'),
      message: 'while validating header: while parsing header JSON: it is no JSON',
    },
    {
      name: 'says more than expected',
      header: () => encode({ alg: 'ES256', kid: 'first', typ: 'JWT', crit: 'x' }),
      message: 'while validating header: while parsing header JSON: json: unknown field "crit"',
    },
    {
      name: 'has another type',
      header: () => encode({ alg: 'ES256', kid: 'first', typ: 'at+jwt' }),
      message: 'while validating header: bad type',
    },
    {
      name: 'names no key',
      header: () => encode({ alg: 'ES256', typ: 'JWT' }),
      message: 'while validating header: key id missing',
    },
    {
      name: 'has a name too long',
      header: () => encode({ alg: 'ES256', kid: 'k'.repeat(1025), typ: 'JWT' }),
      message: 'while validating header: key id longer than 1 kb',
    },
    {
      name: 'has an algorithm that is not used',
      header: () => encode({ alg: 'PS256', kid: 'first', typ: 'JWT' }),
      message: 'while validating header: bad signing algorithm "PS256"',
    },
    {
      name: 'names a key that is not published',
      header: () => encode({ alg: 'ES256', kid: 'retired', typ: 'JWT' }),
      message: 'while validating header: key used for signing JWT (kid: retired) is excluded from OIDC discovery docs',
    },
  ])('A token that another program signs whose header $name is not handed out', async ({ header, message }) => {
    signer.answers.Sign = () => ({ header: header(), signature: 'sig' });
    const { status, body } = await request();
    expect([status, body]).toMatchObject([
      500,
      { status: 'Failure', code: 500, message: `failed to generate token: ${message}` },
    ]);
  });

  test('A token that another program signs without a signature, or that is refused, is not handed out', async () => {
    signer.answers.Sign = (claims) => ({ ...signer.signed(claims), signature: '' });
    expect((await request()).body['message']).toBe('failed to generate token: empty signature returned');
    signer.answers.Sign = () => {
      throw new Error('the vault is sealed');
    };
    expect((await request()).body['message']).toBe(
      'failed to generate token: while signing jwt: rpc error: code = Unknown desc = the vault is sealed',
    );
  });

  test('Requests to the external signer are counted in metrics', async () => {
    await request();
    const metrics = (await send('GET', '/metrics')).text;
    expect(metrics).toMatch(/^apiserver_externaljwt_sign_request_total\{code="OK"\} \d+$/m);
    expect(metrics).toMatch(/^apiserver_externaljwt_sign_request_total\{code="Unknown"\} 1$/m);
    expect(metrics).toMatch(/^apiserver_externaljwt_sign_request_total\{code="unknown-non-grpc"\} 9$/m);
    expect(metrics).toMatch(/^apiserver_externaljwt_fetch_keys_request_total\{code="OK"\} \d+$/m);
    expect(metrics).toContain('apiserver_externaljwt_fetch_keys_data_timestamp 1700000000.5\n');
    expect(metrics).toMatch(
      joined(
        /^apiserver_externaljwt_request_duration_seconds_count\{method="\/v1alpha1.ExternalJWTSigner\/Sign",code="/m,
        /OK"\} \d+$/m,
      ),
    );
  });
});

describe('a signer that is away', () => {
  test('A signer that is away is waited for while requests last; tokens of before stay good', async () => {
    const token = tokenOf(await request());
    await signer.goAway();
    const { status, text } = await request();
    // This answer is text, as upstream's is.
    expect([status, JSON.parse(text)]).toEqual([504, expect.objectContaining({ reason: 'Timeout' })]);
    expect(await whoIs(token)).toMatchObject(robot);
    await signer.listen();
    expect(await whoIs(tokenOf(await request()))).toMatchObject(robot);
  });

  test('A signer that is away is waited for at the start', async () => {
    await using late = await JwtSigner.create();
    const starting = startTestServer({ flags: await flags(late) });
    await late.listen();
    const started = await starting;
    expect(late.calls).toEqual(['FetchKeys', 'Metadata']);
    await started.close();
  });

  test('A signer that is away is not waited for when the start is given up', async () => {
    await using missing = await JwtSigner.create();
    const given = new AbortController();
    const starting = startTestServer({ flags: await flags(missing), signal: given.signal });
    given.abort(new DOMException('', 'TimeoutError'));
    await expect(starting).rejects.toThrow(
      joined(
        /^while setting up external-jwt-signer: while initially filling key cache: while performing initial cache /,
        /fill: while fetching token verification keys: while getting externally supported jwt signing keys: rpc /,
        /error: code = DeadlineExceeded desc = the external signer did not answer in time/,
      ),
    );
  });
});

describe('a start fails', () => {
  const fetching =
    'while setting up external-jwt-signer: while initially filling key cache: while performing initial cache ' +
    'fill: while fetching token verification keys: ';
  test.each<{ name: string; message: string; flags?: string[]; prepare: (signer: JwtSigner) => void }>([
    {
      name: 'the keys cannot be had',
      prepare: (at) =>
        (at.answers.FetchKeys = () => {
          throw new Error('keys fetch error');
        }),
      message:
        `${fetching}while getting externally supported jwt signing keys: rpc error: code = Unknown desc ` +
        '= keys fetch error',
    },
    { name: 'there are no keys', prepare: (at) => (at.keys = []), message: `${fetching}found no keys` },
    {
      name: 'the keys are never due again',
      prepare: (at) => (at.refreshHintSeconds = 0),
      message: `${fetching}found invalid refresh hint (0s)`,
    },
    {
      name: 'the keys have no date',
      prepare: (at) => (at.answers.FetchKeys = () => ({ ...at.fetchedKeys(), dataTimestamp: undefined })),
      message: `${fetching}invalid data timestamp: invalid nil Timestamp`,
    },
    {
      name: 'a key has no name',
      prepare: (at) => (at.keys = [signerKey('')]),
      message: `${fetching}found invalid public key id ""`,
    },
    {
      name: 'a name is too long',
      prepare: (at) => (at.keys = [signerKey('k'.repeat(1025))]),
      message: `${fetching}found invalid public key id "${'k'.repeat(1025)}"`,
    },
    {
      name: 'a key is empty',
      prepare: (at) => (at.answers.FetchKeys = () => ({ ...at.fetchedKeys(), keys: [{ keyId: 'a' }] })),
      message: `${fetching}found empty public key`,
    },
    {
      name: 'the limits cannot be had',
      prepare: (at) =>
        (at.answers.Metadata = () => {
          throw new Error('metadata error');
        }),
      message: 'while setting up external-jwt-signer: rpc error: code = Unknown desc = metadata error',
    },
    {
      name: 'tokens would live too short',
      prepare: (at) => (at.maxTokenExpirationSeconds = 300),
      message: 'max token life supported by external-jwt-signer (300s) is less than acceptable (min 600s)',
    },
    {
      name: 'tokens are to live longer than the signer allows',
      prepare: (at) => (at.maxTokenExpirationSeconds = 600),
      flags: ['--service-account-max-token-expiration=1h'],
      message:
        'service-account-max-token-expiration cannot be set longer than the token expiration supported by ' +
        'service-account-signing-endpoint: 1h0m0s > 10m0s',
    },
  ])('A start fails when $name', async ({ prepare, message, flags: more = [] }) => {
    await using wrong = await JwtSigner.create();
    prepare(wrong);
    await wrong.listen();
    await expect(startTestServer({ flags: await flags(wrong, ...more) })).rejects.toThrow(message);
  });
});

test('A start that fails later leaves no connection to the signer behind', async () => {
  const open = new Set<net.Socket>();
  const proxy = net.createServer((client) => {
    open.add(client);
    client
      .once('close', () => {
        open.delete(client);
        proxy.emit('left');
      })
      .on('error', () => undefined);
    const socket = net.connect(signer.socket).on('error', () => undefined);
    client.pipe(socket).pipe(client);
  });
  const path = `${signer.socket}.proxy`;
  proxy.listen(path);
  await once(proxy, 'listening');
  let connections = 0;
  proxy.on('connection', () => connections++);
  const store = await openEmbeddedStore();
  const holder = net.createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const start = startControlPlane(
    { flags: [...(await flags(signer)).map((flag) => (flag === signer.socket ? path : flag))] },
    async ({ serving, ...config }) => {
      const taken = { ...config, serving: { ...serving, port: (holder.address() as net.AddressInfo).port } };
      await startApiServer(serverConfig(taken, { main: store, overrides: new Map() }));
      throw new Error('it started');
    },
  );
  await expect(start).rejects.toThrow('is in use');
  expect(connections).toBeGreaterThan(0);
  while (open.size > 0) await once(proxy, 'left');
  proxy.close();
  holder.close();
  await store[Symbol.asyncDispose]();
});
