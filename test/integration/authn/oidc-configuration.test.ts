import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../support/caller.ts';
import { clientId, OidcIssuer } from '../../support/oidc-issuer.ts';
import { joined } from '../../support/patterns.ts';
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
import { known } from '../../support/servers/oidc.ts';

startBeforeTests();

describe('ID tokens by an AuthenticationConfiguration', () => {
  test('An issuer that comes up later is found, and one that goes away later stays known', async () => {
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

  test('Several issuers, discovery by its own address, several audiences, claims by expression', async () => {
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

  test('A token counts for its own issuer and audience only, and is no token of a service account', async () => {
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

  test('Names of the system do not come out of claims of an ID token', async () => {
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

  test('Names of the system do not come out of claims with the --oidc-* flags without prefixes', async () => {
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

  test('The id of a token is that of the credential', async () => {
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

  test('An address that is not verified is no name', async () => {
    const { server } = await withConfig(
      config([{ issuer: issuerConfig(), claimMappings: { username: { claim: 'email', prefix: '' } } }]),
    );
    const email = 'jane@example.com';
    await known(server, await issuer.token({ email, email_verified: true })).toMatchObject({ username: email });
    expect(await whoIs(server, await issuer.token({ email, email_verified: false }))).toBe(401);
    expect(await whoIs(server, await issuer.token({ email, email_verified: 'true' }))).toBe(401);
    await server.close();
  });

  test('A new version of the file is used without a restart, a wrong one is not', async () => {
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

  test('A file that is wrong keeps the server from starting, and says where', async () => {
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
