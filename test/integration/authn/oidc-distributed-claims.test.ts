import { generateKeyPairSync } from 'node:crypto';
import { CompactSign } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type TestServer } from '../../support/caller.ts';
import { clientId, OidcIssuer } from '../../support/oidc-issuer.ts';
import {
  openssl,
  issuer,
  whoIs,
  config,
  issuerConfig,
  named,
  withConfig,
  startBeforeTests,
} from '../../support/servers/oidc.ts';

startBeforeTests();

describe('groups that an ID token says to be elsewhere', () => {
  let second: OidcIssuer;
  let server: TestServer;
  beforeAll(async () => {
    second = await OidcIssuer.start(openssl);
    const both = issuer.ca + second.ca;
    ({ server } = await withConfig(
      config([{ issuer: issuerConfig({ certificateAuthority: both }), claimMappings: named }]),
    ));
    const page = (name: string, answer: Parameters<typeof issuer.pages.set>[1]): unknown =>
      issuer.pages.set(`/${name}`, answer);
    const signed =
      (claims: object, by = issuer) =>
      async () => ({ status: 200, body: await by.token({ ...claims }) });
    page('groups', async (authorization) =>
      authorization === 'Bearer open-sesame'
        ? { status: 200, body: `${await issuer.token({ groups: ['devs', 'ops'] })}\n` }
        : { status: 401, body: '' },
    );
    page('second', signed({ groups: 'devs' }, second));
    page('without', signed({ teams: ['devs'] }));
    page('objects', signed({ groups: [{ name: 'devs' }] }));
    page('early', signed({ groups: ['devs'], nbf: Math.floor(Date.now() / 1000) + 3600 }));
    page('large', () => Promise.resolve({ status: 200, body: 'x'.repeat(2 << 20) }));
    page('moved', () => Promise.resolve({ status: 302, body: '', headers: { location: `${issuer.url}/second` } }));
    page('text', () => Promise.resolve({ status: 200, body: 'no token' }));
    page('stranger', async () => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const now = Math.floor(Date.now() / 1000);
      return {
        status: 200,
        body: await new CompactSign(
          Buffer.from(JSON.stringify({ iss: issuer.url, aud: clientId, exp: now + 60, groups: ['devs'] })),
        )
          .setProtectedHeader({ alg: 'RS256' })
          .sign(privateKey),
      };
    });
    page('elsewhere', async () => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      return {
        status: 200,
        body: await new CompactSign(
          Buffer.from(
            JSON.stringify({ iss: 'http://127.0.0.1:1', aud: clientId, exp: 4_000_000_000, groups: ['devs'] }),
          ),
        )
          .setProtectedHeader({ alg: 'RS256' })
          .sign(privateKey),
      };
    });
    const token = await issuer.token({ sub: 'ready' });
    await vi.waitFor(async () => expect(await whoIs(server, token)).not.toBe(401), { timeout: 30_000 });
  });
  afterAll(async () => {
    issuer.pages.clear();
    await server.close();
    await second[Symbol.asyncDispose]();
  });

  let count = 0;
  const elsewhere = async (endpoint: string, more: object = {}): Promise<unknown> =>
    whoIs(
      server,
      await issuer.token({
        sub: `jane${count++}`,
        _claim_names: { groups: 'src' },
        _claim_sources: { src: { endpoint, ...more } },
      }),
    );

  test('Groups that an ID token says to be elsewhere are read there, with the token that is given for it', async () => {
    expect(await elsewhere(`${issuer.url}/groups`, { access_token: 'open-sesame' })).toMatchObject({
      groups: ['oidc:devs', 'oidc:ops', 'system:authenticated'],
    });
  });

  test('Groups that an ID token says to be elsewhere may be signed by another issuer', async () => {
    expect(await elsewhere(`${issuer.url}/second`)).toMatchObject({ groups: ['oidc:devs', 'system:authenticated'] });
  });

  test('Groups elsewhere are not looked for when the ID token has groups, or other claims are there', async () => {
    const sources = { _claim_sources: { src: { endpoint: `${issuer.url}/nowhere` } } };
    expect(
      await whoIs(
        server,
        await issuer.token({ sub: 'jo', groups: ['own'], _claim_names: { groups: 'src' }, ...sources }),
      ),
    ).toMatchObject({ groups: ['oidc:own', 'system:authenticated'] });
    expect(
      await whoIs(server, await issuer.token({ sub: 'jo2', _claim_names: { teams: 'src' }, ...sources })),
    ).toMatchObject({ groups: ['system:authenticated'] });
    expect(
      await whoIs(
        server,
        await issuer.token({ sub: 'jo3', _claim_names: { groups: 'src' }, _claim_sources: { src: { JWT: 'x.y.z' } } }),
      ),
    ).toMatchObject({ groups: ['system:authenticated'] });
  });

  test.each(['without', 'objects', 'early', 'large', 'moved', 'text', 'stranger', 'elsewhere', 'nowhere', 'groups'])(
    'Groups that an ID token says to be elsewhere that are malformed or missing (%s) are refused',
    async (page) => {
      expect(await elsewhere(`${issuer.url}/${page}`)).toBe(401);
    },
  );

  test.each([
    {
      name: 'a source without TLS',
      claims: { _claim_names: { groups: 'src' }, _claim_sources: { src: { endpoint: 'http://127.0.0.1:1/groups' } } },
    },
    {
      name: 'a source that is not named',
      claims: { _claim_names: { groups: 'other' }, _claim_sources: { src: { endpoint: 'https://localhost/' } } },
    },
    { name: 'no sources', claims: { _claim_names: { groups: 'src' } } },
    { name: 'names that are none', claims: { _claim_names: { groups: 7 }, _claim_sources: {} } },
    {
      name: 'sources that are none',
      claims: { _claim_names: { groups: 'src' }, _claim_sources: { src: 'https://localhost/' } },
    },
  ])('Groups that an ID token says to be elsewhere with $name are refused', async ({ claims }) => {
    expect(await whoIs(server, await issuer.token({ sub: `john${count++}`, ...claims }))).toBe(401);
  });
});
