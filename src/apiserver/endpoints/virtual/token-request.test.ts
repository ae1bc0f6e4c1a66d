/** Requests for tokens of service accounts: what is signed, for how long, and what is refused. */
import { describe, expect, test } from 'vitest';
import { testNow } from '../../../../test/support/kind-rules.ts';
import type { TokenIssuing } from '../../../auth/service-accounts/signer.ts';
import { type Answer, type EndpointsServer, type Json, startEndpoints } from '../testing/endpoints-server.ts';

const issuing: TokenIssuing = {
  issuer: 'https://issuer',
  // The token is the text of its claims.
  sign: (claims) => Promise.resolve(JSON.stringify(claims)),
  audiences: ['api', 'other'],
  extendExpiration: true,
  extendedSeconds: 1_000_000,
  maxExpirationSeconds: 0,
};

const accounts = '/api/v1/namespaces/x/serviceaccounts';
const podOf = (serviceAccountName: string, more: object = {}): Json => ({
  metadata: { name: `pod-of-${serviceAccountName}` },
  spec: { serviceAccountName, containers: [{ name: 'c', image: 'i' }], ...more },
});

/** With accounts `a` and `b`, a pod of each, that of `b` on node `n`, and a secret. */
async function start(more: Partial<TokenIssuing> = {}): Promise<EndpointsServer> {
  const authentication = { issuing: { ...issuing, ...more } };
  const server = await startEndpoints([], { authentication: authentication as never });
  for (const name of ['a', 'b']) await server.done('POST', accounts, { metadata: { name } });
  await server.done('POST', '/api/v1/nodes', { metadata: { name: 'n' } });
  await server.done('POST', '/api/v1/namespaces/x/secrets', { metadata: { name: 's' } });
  await server.done('POST', '/api/v1/namespaces/x/pods', podOf('a'));
  await server.done('POST', '/api/v1/namespaces/x/pods', podOf('b', { nodeName: 'n' }));
  return server;
}

const request = (server: EndpointsServer, spec: object, account = 'a', metadata: object = {}): Promise<Answer> =>
  server.send('POST', `${accounts}/${account}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata,
    spec,
  });

const claimsOf = ({ body }: Answer): Json => JSON.parse((body['status'] as { token: string }).token) as Json;
const now = testNow.getTime() / 1000;
const pod = (name = 'pod-of-a', more: object = {}): object => ({
  boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, ...more },
});

describe('a token', () => {
  test('A requested token is of its account, for the audiences of the server, and for an hour', async () => {
    const server = await start();
    const { uid } = (await server.done('GET', `${accounts}/a`))['metadata'] as Json;
    const answer = await request(server, {});
    expect(answer.status).toBe(201);
    expect(claimsOf(answer)).toEqual({
      aud: ['api', 'other'],
      exp: now + 3600,
      iat: now,
      iss: 'https://issuer',
      jti: expect.any(String) as string,
      'kubernetes.io': { namespace: 'x', serviceaccount: { name: 'a', uid } },
      nbf: now,
      sub: 'system:serviceaccount:x:a',
    });
    expect(answer.body).toMatchObject({
      kind: 'TokenRequest',
      metadata: { name: 'a', namespace: 'x', creationTimestamp: '2026-01-02T03:04:05Z' },
      spec: { audiences: ['api', 'other'], expirationSeconds: 3600 },
      status: { expirationTimestamp: '2026-01-02T04:04:05Z' },
    });
  });

  test('A token is for the audiences that are asked for', async () => {
    expect(claimsOf(await request(await start(), { audiences: ['vault'] }))['aud']).toEqual(['vault']);
  });

  test('A token is another one each time', async () => {
    const server = await start();
    const [one, two] = [claimsOf(await request(server, {})), claimsOf(await request(server, {}))];
    expect(one['jti']).not.toBe(two['jti']);
  });

  test.each<{
    name: string;
    spec?: object;
    issuing?: Partial<TokenIssuing>;
    lives: number;
    expires?: number;
    warnsAfter?: number;
    warning?: string;
  }>([
    { name: 'as long as is asked for', spec: { expirationSeconds: 7200 }, lives: 7200 },
    { name: 'at least ten minutes', spec: { expirationSeconds: 600 }, lives: 600 },
    { name: 'at most 2^32 seconds', spec: { expirationSeconds: 2 ** 32 }, lives: 2 ** 32 },
    {
      name: 'as long as the server allows, with a warning',
      spec: { expirationSeconds: 7200 },
      issuing: { maxExpirationSeconds: 3000 },
      lives: 3000,
      warning: 'requested expiration of 7200 seconds shortened to 3000 seconds',
    },
    {
      name: 'as long as is asked for where that is what the server allows',
      spec: { expirationSeconds: 3000 },
      issuing: { maxExpirationSeconds: 3000 },
      lives: 3000,
    },
    {
      name: 'longer than what is asked for when it is put into a pod, and its late use is reported',
      spec: { expirationSeconds: 3607, ...pod() },
      lives: 1_000_000,
      expires: 3607,
      warnsAfter: 3607,
    },
    {
      name: 'no longer where the server does not extend tokens',
      spec: { expirationSeconds: 3607, ...pod() },
      issuing: { extendExpiration: false },
      lives: 3607,
    },
    { name: 'no longer where it is not bound to a pod', spec: { expirationSeconds: 3607 }, lives: 3607 },
    {
      name: 'no longer where it is for another time than tokens in pods',
      spec: { expirationSeconds: 3608, ...pod() },
      lives: 3608,
    },
    {
      name: 'no longer where one of its audiences is not one of the server',
      spec: { expirationSeconds: 3607, audiences: ['api', 'vault'], ...pod() },
      lives: 3607,
    },
  ])('Lives $name', async ({ spec = {}, issuing: more = {}, lives, expires = lives, warnsAfter, warning }) => {
    const answer = await request(await start(more), spec);
    const claims = claimsOf(answer) as { exp: number; 'kubernetes.io': { warnafter?: number } };
    expect(claims.exp - now).toBe(lives);
    expect(claims['kubernetes.io'].warnafter).toBe(warnsAfter === undefined ? undefined : now + warnsAfter);
    expect(answer.body).toMatchObject({ spec: { expirationSeconds: expires } });
    expect(
      Date.parse((answer.body['status'] as { expirationTimestamp: string }).expirationTimestamp) / 1000 - now,
    ).toBe(expires);
    expect(answer.warnings).toEqual(warning === undefined ? [] : [warning]);
  });

  test.each<{ name: string; ref: object; account?: string; names: Json }>([
    { name: 'a pod', ref: pod(), names: { pod: 'pod-of-a' } },
    { name: 'a pod and its node', ref: pod('pod-of-b'), account: 'b', names: { pod: 'pod-of-b', node: 'n' } },
    {
      name: 'a secret',
      ref: { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 's' } },
      names: { secret: 's' },
    },
    { name: 'a node', ref: { boundObjectRef: { apiVersion: 'v1', kind: 'Node', name: 'n' } }, names: { node: 'n' } },
  ])('A token that is bound to $name names it with its uid', async ({ ref, account = 'a', names }) => {
    const server = await start();
    const {
      serviceaccount: _,
      namespace: __,
      ...bound
    } = claimsOf(await request(server, ref, account))['kubernetes.io'] as Json;
    for (const [kind, name] of Object.entries(names)) {
      const path = kind === 'node' ? '/api/v1/nodes' : `/api/v1/namespaces/x/${kind}s`;
      const { uid } = (await server.done('GET', `${path}/${String(name)}`))['metadata'] as Json;
      expect(bound[kind]).toEqual({ name, uid });
    }
    expect(Object.keys(bound).sort()).toEqual(Object.keys(names).sort());
  });

  test('A token of a pod whose node is gone names the node without a uid', async () => {
    const server = await start();
    await server.done('DELETE', '/api/v1/nodes/n');
    expect(claimsOf(await request(server, pod('pod-of-b'), 'b'))['kubernetes.io']).toMatchObject({
      node: { name: 'n' },
    });
  });
});

describe('a request for a token is refused', () => {
  const bound = (boundObjectRef: object): object => ({ boundObjectRef });
  const invalid = (name: string, ...fields: string[]): string =>
    `TokenRequest.authentication.k8s.io "${name}" is invalid: ${fields.join(', ')}`;
  test.each<{ name: string; spec?: object; account?: string; metadata?: object; status: number; message: string }>([
    {
      name: 'for less than ten minutes',
      spec: { expirationSeconds: 599 },
      status: 422,
      message: invalid(
        '',
        'spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
      ),
    },
    {
      name: 'for more than 2^32 seconds',
      spec: { expirationSeconds: 2 ** 32 + 1 },
      status: 422,
      message: invalid(
        '',
        'spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
      ),
    },
    {
      name: 'under another name than that of the URL',
      metadata: { name: 'b' },
      status: 422,
      message: invalid('a', 'metadata.name: Invalid value: "b": must match the service account name if specified'),
    },
    { name: 'for an account that is not there', account: 'c', status: 404, message: 'serviceaccounts "c" not found' },
    {
      name: 'for a pod of another account',
      spec: pod('pod-of-b'),
      status: 400,
      message: 'cannot bind token for serviceaccount "a" to pod running with different serviceaccount name.',
    },
    { name: 'for a pod that is not there', spec: pod('c'), status: 404, message: 'pods "c" not found' },
    {
      name: 'for a pod with another uid',
      spec: pod('pod-of-a', { uid: 'u' }),
      status: 409,
      message:
        'Operation cannot be fulfilled on Pod "pod-of-a": the UID in the bound object reference (u) does not match ' +
        'the UID in record. The object might have been deleted and then recreated',
    },
    {
      name: 'for an object of another kind',
      spec: bound({ apiVersion: 'v1', kind: 'ConfigMap', name: 'c' }),
      status: 400,
      message: 'cannot bind token to object of type /v1, Kind=ConfigMap',
    },
    {
      name: 'for an object of another group',
      spec: bound({ apiVersion: 'apps/v1', kind: 'Pod', name: 'c' }),
      status: 400,
      message: 'cannot bind token to object of type apps/v1, Kind=Pod',
    },
    {
      name: 'for a kind that is called like a property of objects',
      spec: bound({ apiVersion: '', kind: 'constructor', name: 'c' }),
      status: 400,
      message: 'cannot bind token to object of type /, Kind=constructor',
    },
  ])('A request for a token is refused: $name', async ({ spec = {}, account = 'a', metadata, status, message }) => {
    expect(await request(await start(), spec, account, metadata)).toMatchObject({ status, message });
  });

  test('A request for a token is refused on a server without a signing key, which does not serve it', async () => {
    const server = await startEndpoints();
    await server.done('POST', accounts, { metadata: { name: 'a' } });
    expect(await request(server, {})).toMatchObject({
      status: 404,
      message: 'the server could not find the requested resource',
    });
  });
});
