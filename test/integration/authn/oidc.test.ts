import { generateKeyPairSync } from 'node:crypto';
import { CompactSign } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../../support/caller.ts';
import { clientId } from '../../support/oidc-issuer.ts';
import { openssl, issuer, whoIs, known, startBeforeTests } from '../../support/servers/oidc.ts';

startBeforeTests();

describe('ID tokens by the --oidc-* flags', () => {
  let server: TestServer;
  beforeAll(async () => {
    const ca = await openssl.file('issuer-ca.crt', issuer.ca);
    server = await startTestServer({
      flags: [
        `--oidc-issuer-url=${issuer.url}`,
        `--oidc-client-id=${clientId}`,
        '--oidc-ca-file',
        ca,
        '--oidc-groups-claim=groups',
        '--oidc-groups-prefix=oidc:',
        '--oidc-required-claim=tenant=acme',
      ],
    });
    const token = await issuer.token({ sub: 'ready', tenant: 'acme' });
    await vi.waitFor(async () => expect(await whoIs(server, token)).not.toBe(401), { timeout: 10_000 });
  });
  afterAll(() => server.close());

  test('ID tokens by the --oidc-* flags name the user and the groups', async () => {
    expect(await whoIs(server, await issuer.token({ sub: 'jane', tenant: 'acme', groups: ['devs', 'ops'] }))).toEqual({
      username: `${issuer.url}#jane`,
      groups: ['oidc:devs', 'oidc:ops', 'system:authenticated'],
    });
    expect(await whoIs(server, await issuer.token({ sub: 'jane', tenant: 'acme', groups: 'devs' }))).toMatchObject({
      groups: ['oidc:devs', 'system:authenticated'],
    });
  });

  test.each([
    { name: 'another value of a claim that is required', claims: { tenant: 'other' } },
    { name: 'a claim that is required left out', claims: {} },
    { name: 'groups that are no texts', claims: { tenant: 'acme', groups: [1] } },
    { name: 'groups in an object', claims: { tenant: 'acme', groups: { a: 'b' } } },
    { name: 'a start far ahead', claims: { tenant: 'acme', nbf: Math.floor(Date.now() / 1000) + 3600 } },
  ])('ID tokens by the --oidc-* flags with $name are refused', async ({ claims }) => {
    expect(await whoIs(server, await issuer.token({ sub: 'jane', ...claims }))).toBe(401);
  });

  describe('that the issuer itself has signed', () => {
    const now = Math.floor(Date.now() / 1000);
    const good = (): Record<string, unknown> => ({
      iss: issuer.url,
      aud: clientId,
      sub: 'jane',
      tenant: 'acme',
      exp: now + 600,
      iat: now,
    });

    test('ID tokens that the issuer itself has signed are good when all is in order', async () => {
      expect(await whoIs(server, await issuer.sign(good()))).toMatchObject({ username: `${issuer.url}#jane` });
      expect(await whoIs(server, await issuer.sign({ ...good(), aud: ['other', clientId] }))).toMatchObject({
        username: `${issuer.url}#jane`,
      });
    });

    test.each<{ why: string; token: () => Promise<string> }>([
      { why: 'the time of the token is over', token: () => issuer.sign({ ...good(), exp: now - 600 }) },
      { why: 'the token has no end', token: () => issuer.sign({ ...good(), exp: undefined }) },
      { why: 'the token is for another client', token: () => issuer.sign({ ...good(), aud: 'other' }) },
      { why: 'the token has no audience', token: () => issuer.sign({ ...good(), aud: undefined }) },
      {
        why: 'the token says it is of another issuer',
        token: () => issuer.sign({ ...good(), iss: 'https://other.example.com' }),
      },
      { why: 'the issuer is spelled otherwise', token: () => issuer.sign({ ...good(), iss: `${issuer.url}/` }) },
      { why: 'there are two issuers', token: () => issuer.sign({ ...good(), iss: [issuer.url] }) },
      { why: 'the key is for RS256 and nothing else', token: () => issuer.sign(good(), { alg: 'PS256' }) },
      {
        why: 'a public key is no secret to sign with',
        token: () => issuer.sign(good(), { alg: 'HS256', key: Buffer.from(issuer.publicKey) }),
      },
      {
        why: 'it is not signed',
        token: async () =>
          (await issuer.sign(good()))
            .replace(/[^.]+$/, '')
            .replace(/^[^.]+/, Buffer.from('{"alg":"none"}').toString('base64url')),
      },
      {
        why: 'it was changed after it was signed',
        token: async () =>
          (await issuer.sign(good())).replace(
            /\.[^.]+\./,
            `.${Buffer.from(JSON.stringify({ ...good(), groups: ['admins'] })).toString('base64url')}.`,
          ),
      },
    ])('ID tokens that the issuer itself has signed are refused because $why', async ({ token }) => {
      expect(await whoIs(server, await token())).toBe(401);
    });
  });

  test('ID tokens of another party that claims to be the issuer are refused without a request to it', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer.url, aud: clientId, sub: 'root', tenant: 'acme', exp: now + 60, iat: now };
    const before = issuer.keyRequests;
    const forge = (jti: number) =>
      new CompactSign(Buffer.from(JSON.stringify({ ...claims, jti })))
        .setProtectedHeader({ alg: 'RS256', kid: 'made-up' })
        .sign(privateKey);
    for (let i = 0; i < 20; i++) expect(await whoIs(server, await forge(i))).toBe(401);
    expect(issuer.keyRequests - before).toBeLessThan(10);
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    expect(await whoIs(server, `${part({ alg: 'none' })}.${part(claims)}.`)).toBe(401);
  });

  test('ID tokens with a new key are good once it is published, those of old keys no longer', async () => {
    const old = await issuer.token({ sub: 'before', tenant: 'acme' });
    issuer.rotate();
    await known(server, await issuer.token({ sub: 'after', tenant: 'acme' })).toMatchObject({
      username: `${issuer.url}#after`,
    });
    expect(await whoIs(server, old)).toBe(401);
  });
});
