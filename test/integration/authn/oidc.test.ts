import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { CompactSign } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../../support/caller.ts';
import { clientId, OidcIssuer } from '../../support/oidc-issuer.ts';
import { Openssl } from '../../support/openssl.ts';
import { joined } from '../../support/patterns.ts';

let openssl: Openssl;
let issuer: OidcIssuer;
beforeAll(async () => {
  openssl = await Openssl.open();
  issuer = await OidcIssuer.start(openssl);
});
afterAll(async () => {
  await issuer[Symbol.asyncDispose]();
  await openssl[Symbol.asyncDispose]();
});

const bearer = (token: string) => ({ headers: ['authorization', `Bearer ${token}`] });
const whoIs = (server: TestServer, token: string): Promise<unknown> => server.whoAmI(bearer(token));
/** The issuer is looked for beside the start. */
const known = (server: TestServer, token: string) => expect.poll(() => whoIs(server, token), { timeout: 10_000 });
const config = (jwt: unknown[], more: object = {}): string =>
  JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1beta1', kind: 'AuthenticationConfiguration', jwt, ...more });
const issuerConfig = (more: object = {}) => ({
  url: issuer.url,
  certificateAuthority: issuer.ca,
  audiences: [clientId],
  ...more,
});
const named = { username: { claim: 'sub', prefix: 'oidc:' }, groups: { claim: 'groups', prefix: 'oidc:' } };

let files = 0;
async function withConfig(text: string, fileCheckMs?: number): Promise<{ server: TestServer; file: string }> {
  const file = await openssl.file(`authentication-${files++}.json`, text);
  return {
    file,
    server: await startTestServer({
      flags: ['--authentication-config', file],
      ...(fileCheckMs === undefined ? {} : { fileCheckMs }),
    }),
  };
}

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

  test('name the user and the groups', async () => {
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
  ])('with $name are refused', async ({ claims }) => {
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

    test('are good when all is in order: the refusals below are no accident', async () => {
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
    ])('are refused because $why', async ({ token }) => {
      expect(await whoIs(server, await token())).toBe(401);
    });
  });

  test('of another party that claims to be the issuer are refused, and the issuer is not asked each time', async () => {
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

  test('with a new key are known as soon as the issuer publishes it, and the old ones no longer', async () => {
    const old = await issuer.token({ sub: 'before', tenant: 'acme' });
    issuer.rotate();
    await known(server, await issuer.token({ sub: 'after', tenant: 'acme' })).toMatchObject({
      username: `${issuer.url}#after`,
    });
    expect(await whoIs(server, old)).toBe(401);
  });
});

describe('ID tokens by an AuthenticationConfiguration', () => {
  test('an issuer that comes up later is found, and one that goes away later stays known', async () => {
    await issuer.goAway();
    const { server } = await withConfig(config([{ issuer: issuerConfig(), claimMappings: named }]));
    expect((await server.call({})).status).toBe(401);
    await issuer.listen();
    const [token, later] = [await issuer.token({ sub: 'jane' }), await issuer.token({ sub: 'john' })];
    await expect
      .poll(() => whoIs(server, token), { timeout: 30_000, interval: 500 })
      .toMatchObject({ username: 'oidc:jane' });
    await issuer.goAway();
    expect(await whoIs(server, later)).toMatchObject({ username: 'oidc:john' });
    await issuer.listen();
    await server.close();
  });

  test('several issuers, discovery by its own address, several audiences, claims by expression', async () => {
    await using second = await OidcIssuer.start(openssl);
    const { server } = await withConfig(
      config([
        {
          issuer: { ...issuerConfig({ audiences: ['other', clientId], audienceMatchPolicy: 'MatchAny' }) },
          claimMappings: named,
        },
        {
          issuer: {
            url: second.url,
            discoveryURL: `${second.url}/.well-known/openid-configuration`,
            certificateAuthority: second.ca,
            audiences: [clientId],
          },
          claimValidationRules: [
            { expression: 'claims.tenant == "acme"', message: 'wrong tenant' },
            { claim: 'hd', requiredValue: 'example.com' },
          ],
          claimMappings: {
            username: { expression: 'claims.sub + "@" + claims.tenant' },
            groups: { expression: 'claims.roles.map(r, "role:" + r)' },
            uid: { claim: 'uid' },
            extra: [
              { key: 'acme.com/team', valueExpression: 'claims.team' },
              { key: 'acme.com/none', valueExpression: '""' },
            ],
          },
          userValidationRules: [
            { expression: "!user.username.startsWith('root')", message: 'no root' },
            { expression: 'user.groups.all(g, g != "role:banned")' },
          ],
        },
      ]),
    );
    await known(server, await issuer.token({ sub: 'jane' })).toMatchObject({
      username: 'oidc:jane',
      groups: ['system:authenticated'],
    });
    const claims = {
      sub: 'jo',
      tenant: 'acme',
      hd: 'example.com',
      roles: ['dev', 'ops'],
      uid: '42',
      team: ['red', '', 'blue'],
    };
    await known(server, await second.token(claims)).toEqual({
      username: 'jo@acme',
      uid: '42',
      groups: ['role:dev', 'role:ops', 'system:authenticated'],
      extra: { 'acme.com/team': ['red', 'blue'] },
    });
    const refused = [
      { tenant: 'other' },
      { hd: 'other.com' },
      { sub: 'root' },
      { roles: ['banned'] },
      { roles: undefined },
      { uid: undefined },
      { team: 7 },
    ];
    for (const change of refused)
      expect([change, await whoIs(server, await second.token({ ...claims, ...change }))]).toEqual([change, 401]);
    await server.close();
  });

  test('a token counts for its own issuer and audience only, and is no token of a service account', async () => {
    await using second = await OidcIssuer.start(openssl);
    const { server } = await withConfig(
      config([
        { issuer: issuerConfig(), claimMappings: named },
        {
          issuer: { url: second.url, certificateAuthority: second.ca, audiences: ['theirs'] },
          claimMappings: { username: { claim: 'sub', prefix: 'second:' } },
        },
      ]),
    );
    const now = Math.floor(Date.now() / 1000);
    const claims = { sub: 'jane', exp: now + 600, iat: now };
    const [ours, theirs] = [
      { ...claims, iss: issuer.url, aud: clientId },
      { ...claims, iss: second.url, aud: 'theirs' },
    ];
    await known(server, await issuer.sign(ours)).toMatchObject({ username: 'oidc:jane' });
    await known(server, await second.sign(theirs)).toMatchObject({ username: 'second:jane' });
    const account = {
      ...claims,
      iss: 'https://kubernetes.default.svc.cluster.local',
      aud: ['https://kubernetes.default.svc.cluster.local'],
      sub: 'system:serviceaccount:kube-system:default',
      'kubernetes.io': { namespace: 'kube-system', serviceaccount: { name: 'default', uid: '1' } },
    };
    const refused: Record<string, string> = {
      'the other issuer has signed it': await second.sign(ours),
      'and the other way round': await issuer.sign(theirs),
      'the audience is that of the other issuer': await issuer.sign({ ...ours, aud: 'theirs' }),
      'it says to be of our own issuer': await issuer.sign(account),
      'it says to be a token in a secret': await issuer.sign({ ...account, iss: 'kubernetes/serviceaccount' }),
    };
    for (const [why, token] of Object.entries(refused)) expect([why, await whoIs(server, token)]).toEqual([why, 401]);
    await server.close();
  });

  test('names of the system do not come out of claims', async () => {
    const { server } = await withConfig(
      config([
        {
          issuer: issuerConfig(),
          claimMappings: { username: { claim: 'sub', prefix: '' }, groups: { claim: 'groups', prefix: '' } },
        },
      ]),
    );
    await known(server, await issuer.token({ sub: 'jane', groups: ['devs'] })).toMatchObject({
      username: 'jane',
      groups: ['devs', 'system:authenticated'],
    });
    expect(await whoIs(server, await issuer.token({ sub: 'jane', groups: ['devs', 'system:masters'] }))).toBe(401);
    expect(await whoIs(server, await issuer.token({ sub: 'system:apiserver' }))).toBe(401);
    await server.close();
  });

  test('nor with the --oidc-* flags, when nothing is put in front of names and groups', async () => {
    const ca = await openssl.file('unprefixed-ca.crt', issuer.ca);
    await using server = await startTestServer({
      flags: [
        `--oidc-issuer-url=${issuer.url}`,
        `--oidc-client-id=${clientId}`,
        '--oidc-ca-file',
        ca,
        '--oidc-groups-claim=groups',
        '--oidc-username-prefix=-',
      ],
    });
    await known(server, await issuer.token({ sub: 'jane', groups: ['devs'] })).toMatchObject({
      username: 'jane',
      groups: ['devs', 'system:authenticated'],
    });
    expect(await whoIs(server, await issuer.token({ sub: 'jane', groups: ['system:masters'] }))).toBe(401);
    expect(await whoIs(server, await issuer.token({ sub: 'system:serviceaccount:kube-system:default' }))).toBe(401);
  });

  test('the id of a token is that of the credential', async () => {
    const { server } = await withConfig(config([{ issuer: issuerConfig(), claimMappings: named }]));
    await known(server, await issuer.token({ sub: 'jane', jti: 'abc' })).toMatchObject({
      username: 'oidc:jane',
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=abc'] },
    });
    expect(await whoIs(server, await issuer.token({ sub: 'john', jti: 7 }))).toEqual({
      username: 'oidc:john',
      groups: ['system:authenticated'],
    });
    await server.close();
  });

  test('an address that is not verified is no name', async () => {
    const { server } = await withConfig(
      config([{ issuer: issuerConfig(), claimMappings: { username: { claim: 'email', prefix: '' } } }]),
    );
    const email = 'jane@example.com';
    await known(server, await issuer.token({ email, email_verified: true })).toMatchObject({ username: email });
    expect(await whoIs(server, await issuer.token({ email, email_verified: false }))).toBe(401);
    expect(await whoIs(server, await issuer.token({ email, email_verified: 'true' }))).toBe(401);
    await server.close();
  });

  test('a new version of the file is used without a restart, a wrong one is not', async () => {
    const { server, file } = await withConfig(config([{ issuer: issuerConfig(), claimMappings: named }]), 20);
    await known(server, await issuer.token({ sub: 'jane' })).toMatchObject({ username: 'oidc:jane' });
    await writeFile(
      file,
      config([{ issuer: issuerConfig(), claimMappings: { username: { claim: 'sub', prefix: 'new:' } } }]),
    );
    let count = 0;
    await expect
      .poll(async () => whoIs(server, await issuer.token({ sub: `jane${count++}` })), { timeout: 10_000 })
      .toMatchObject({ username: expect.stringMatching(/^new:/) });
    await writeFile(file, config([{ issuer: { ...issuerConfig(), url: 'http://insecure' }, claimMappings: named }]));
    await expect
      .poll(async () => whoIs(server, await issuer.token({ sub: `jane${count++}` })), { timeout: 1000 })
      .toMatchObject({ username: expect.stringMatching(/^new:/) });
    await server.close();
  });

  test('a file that is wrong keeps the server from starting, and says where', async () => {
    const start = withConfig(
      config([
        {
          issuer: { url: 'http://a', audiences: [] },
          claimMappings: { username: { claim: 'sub' }, groups: { expression: 'claims.x +' } },
        },
      ]),
    );
    await expect(start).rejects.toThrow(
      joined(
        /^--authentication-config: .*jwt\[0\]\.issuer\.url: Invalid value: "http:\/\/a": URL scheme must be /s,
        /https.*jwt\[0\]\.claimMappings\.username\.prefix: Required value.*jwt\[0\]\.claimMappings\.groups\./s,
        /expression/s,
      ),
    );
  });
});

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

  test('are read there, with the token that is given for it', async () => {
    expect(await elsewhere(`${issuer.url}/groups`, { access_token: 'open-sesame' })).toMatchObject({
      groups: ['oidc:devs', 'oidc:ops', 'system:authenticated'],
    });
  });

  test('may be signed by another issuer', async () => {
    expect(await elsewhere(`${issuer.url}/second`)).toMatchObject({ groups: ['oidc:devs', 'system:authenticated'] });
  });

  test('are not looked for when the token has groups itself, or other claims are elsewhere', async () => {
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
    'that are malformed or missing (%s) are refused',
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
  ])('with $name are refused', async ({ claims }) => {
    expect(await whoIs(server, await issuer.token({ sub: `john${count++}`, ...claims }))).toBe(401);
  });
});
