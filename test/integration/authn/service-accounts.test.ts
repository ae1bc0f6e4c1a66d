import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { type Answer, callServer } from '../../support/caller.ts';
import {
  admin,
  issuer,
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

const request = (name: string, spec: object = {}): Promise<Answer> =>
  send('POST', core(`serviceaccounts/${name}/token`), { spec });

const tokenOf = (answer: Answer): string => (answer.body as { status: { token: string } }).status.token;

const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;

describe('a token that was asked for', () => {
  test('A token that was asked for names the account, its groups and the token', async () => {
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

  test('A token that was asked for is verified by what others find under the well-known address', async () => {
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

  test('A token that was asked for is for the audiences asked for only', async () => {
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

  test('A token that was asked for is shortened to what is allowed, and says so', async () => {
    const { name } = await account();
    const answer = await request(name, { expirationSeconds: 7 * 24 * 3600 });
    expect(answer.headers['warning']).toBe(
      '299 - "requested expiration of 604800 seconds shortened to 172800 seconds"',
    );
    expect(answer.body).toMatchObject({ spec: { expirationSeconds: 172_800 } });
    const { exp, iat } = claimsOf(tokenOf(answer)) as { exp: number; iat: number };
    expect(exp - iat).toBe(172_800);
  });

  test('A token that was asked for ends with its service account, and with one of the same name', async () => {
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
  test('A token that is bound to a pod names the pod and its node, and ends with the pod', async () => {
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

  test('A token that is bound to a node or a secret ends with it', async () => {
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

  test('A token that is bound to a pod for 3607 seconds lives on for a year, as injected tokens do', async () => {
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

  test('A token that is bound to what it cannot be is refused', async () => {
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
