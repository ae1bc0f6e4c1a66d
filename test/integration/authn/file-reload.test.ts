/**
 * Which files that flags name are read again while the server runs, and which are not: as kube-apiserver 1.32 does it.
 */
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startTestServer } from '../../support/caller.ts';
import { Openssl } from '../../support/openssl.ts';

const pem = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

test('Authorities of clients and of front proxies are; tokens and keys of service accounts are not', async () => {
  await using openssl = await Openssl.open();
  const [oldCa, newCa, oldProxies, newProxies] = [
    await openssl.authority('a'),
    await openssl.authority('b'),
    await openssl.authority('c'),
    await openssl.authority('d'),
  ];
  const file = {
    ca: await openssl.file('ca.crt', oldCa.certificate),
    proxies: await openssl.file('proxies.crt', oldProxies.certificate),
    tokens: await openssl.file('tokens.csv', 'old-token,admin,1,"system:masters"\n'),
    key: await openssl.file('sa.key', pem()),
  };
  await using server = await startTestServer({
    fileCheckMs: 20,
    flags: [
      '--client-ca-file',
      file.ca,
      '--requestheader-client-ca-file',
      file.proxies,
      '--requestheader-username-headers=X-Remote-User',
      '--token-auth-file',
      file.tokens,
      '--service-account-signing-key-file',
      file.key,
      '--service-account-key-file',
      file.key,
      '--service-account-issuer=https://issuer.example.com',
    ],
  });
  const admin = ['authorization', 'Bearer old-token'];
  await server.call({
    method: 'POST',
    path: '/api/v1/namespaces/default/serviceaccounts',
    headers: admin,
    body: { metadata: { name: 'robot' } },
  });
  const newToken = async (): Promise<string> =>
    (
      (
        await server.call({
          method: 'POST',
          path: '/api/v1/namespaces/default/serviceaccounts/robot/token',
          headers: admin,
          body: {},
        })
      ).body as { status: { token: string } }
    ).status.token;
  const before = await newToken();

  await writeFile(file.tokens, 'new-token,admin,1,"system:masters"\n');
  await writeFile(file.key, pem());
  await writeFile(file.ca, newCa.certificate);
  await writeFile(file.proxies, newProxies.certificate);

  const jane = await openssl.issue({ subject: '/CN=jane', issuer: newCa });
  await expect
    .poll(() => server.whoAmI({ certificate: jane }), { timeout: 20_000 })
    .toMatchObject({ username: 'jane' });
  const proxy = (issuer: typeof oldProxies) => openssl.issue({ subject: '/CN=proxy', issuer });
  const [now, then] = [await proxy(newProxies), await proxy(oldProxies)];
  await expect
    .poll(() => server.whoAmI({ certificate: now, headers: ['X-Remote-User', 'jo'] }), { timeout: 20_000 })
    .toMatchObject({ username: 'jo' });
  expect(await server.whoAmI({ certificate: then, headers: ['X-Remote-User', 'jo'] })).toBe(401);

  expect(await server.whoAmI({ headers: admin })).toMatchObject({ username: 'admin' });
  expect(await server.whoAmI({ headers: ['authorization', 'Bearer new-token'] })).toBe(401);
  for (const token of [before, await newToken()])
    expect(await server.whoAmI({ headers: ['authorization', `Bearer ${token}`] })).toMatchObject({
      username: 'system:serviceaccount:default:robot',
    });
});
