import http2 from 'node:http2';
import tls from 'node:tls';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { X509Certificate, createHash, createPrivateKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCertificate, createKey } from '../../../src/pki/certificate.ts';
import { callServer2, startTestServer, type TestServer } from '../../support/caller.ts';
import { authorityExtensions, Openssl, type OpensslPair } from '../../support/openssl.ts';
import { runtimeShowsIssuers } from '../../support/shown-issuers.ts';

let openssl: Openssl;
let ca: OpensslPair;
/** Without extensions, as of version 1. */
let oldCa: OpensslPair;
/** Of version 3, but nothing says that it may sign. */
let plain: OpensslPair;
let proxyCa: OpensslPair;
let server: TestServer;
beforeAll(async () => {
  openssl = await Openssl.open();
  [ca, proxyCa] = [await openssl.authority('client-ca'), await openssl.authority('proxy-ca')];
  oldCa = await openssl.issue({ subject: '/CN=old-ca', extensions: [] });
  plain = await openssl.issue({ subject: '/CN=plain', extensions: ['subjectKeyIdentifier=hash'] });
  server = await startTestServer({
    flags: [
      '--client-ca-file',
      await openssl.file('ca.crt', ca.certificate + oldCa.certificate + plain.certificate),
      '--requestheader-client-ca-file',
      await openssl.file('proxy-ca.crt', proxyCa.certificate),
      '--requestheader-allowed-names=proxy',
      '--requestheader-username-headers=X-Remote-User,X-Other-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    ],
  });
});
afterAll(async () => {
  await server.close();
  await openssl[Symbol.asyncDispose]();
});

const digest = ({ certificate }: OpensslPair): string =>
  createHash('sha256').update(new X509Certificate(certificate).raw).digest('hex');
const named = (user: string): string[] => ['X-Remote-User', user, 'X-Remote-Group', 'system:masters'];

describe('client certificates', () => {
  test('The common name is the user, every organization a group, and the credential has its digest', async () => {
    const certificate = await openssl.issue({ subject: '/O=devs/O=ops/CN=jane', issuer: ca });
    expect(await server.whoAmI({ certificate })).toEqual({
      username: 'jane',
      groups: ['devs', 'ops', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${digest(certificate)}`] },
    });
  });

  test('An authority of X.509 version 1, which has no extensions, vouches for clients', async () => {
    const certificate = await openssl.issue({ subject: '/CN=jane', issuer: oldCa });
    expect(await server.whoAmI({ certificate })).toMatchObject({ username: 'jane' });
  });

  test('Issuers between client and authority count when the client sends them, in a resumed session too', async ({
    skip,
  }) => {
    const between = await openssl.authority('between', ca);
    const leaf = await openssl.issue({ subject: '/CN=jane', issuer: between });
    expect(await server.whoAmI({ certificate: leaf })).toBe(401);
    const certificate = { certificate: leaf.certificate + between.certificate, key: leaf.key };
    if (!(await runtimeShowsIssuers(certificate, ca))) {
      expect(await server.whoAmI({ certificate })).toBe(401);
      skip('this version of Node shows no server the certificates in between');
    }
    expect(await server.whoAmI({ certificate })).toMatchObject({ username: 'jane' });
    const port = Number(new URL(server.url).port);
    const connect = (session?: Buffer) =>
      tls.connect({
        port,
        host: '127.0.0.1',
        servername: 'localhost',
        ca: server.ca,
        cert: certificate.certificate,
        key: certificate.key,
        ...(session === undefined ? {} : { session }),
      });
    const ask = async (socket: tls.TLSSocket): Promise<string> => {
      socket.write(
        'POST /apis/authentication.k8s.io/v1/selfsubjectreviews HTTP/1.1\r\nhost: localhost\r\ncontent-type: ' +
          'application/json\r\ncontent-length: 2\r\n\r\n{}',
      );
      let answer = '';
      while (!/"(?:username|reason)":/.test(answer)) answer += String(((await once(socket, 'data')) as [Buffer])[0]);
      return answer;
    };
    const first = connect();
    const ticket = once(first, 'session');
    expect(await ask(first)).toContain('"username":"jane"');
    const [session] = (await ticket) as [Buffer];
    first.destroy();
    const second = connect(session);
    expect(await ask(second)).toContain('"username":"jane"');
    expect(second.isSessionReused()).toBe(true);
    second.destroy();
  });

  test.each([
    { name: 'ended', make: () => openssl.issue({ subject: '/CN=jane', issuer: ca, days: -1 }) },
    {
      name: 'not begun',
      make: () => {
        const [key, hour] = [createKey(), 3_600_000];
        const issuer = { subject: { commonName: 'client-ca' }, key: createPrivateKey(ca.key) };
        const certificate = createCertificate({
          subject: { commonName: 'jane' },
          use: 'client',
          key,
          issuer,
          notBefore: new Date(Date.now() + hour),
          notAfter: new Date(Date.now() + 2 * hour),
        });
        return { certificate, key: key.export({ type: 'pkcs8', format: 'pem' }) as string };
      },
    },
    {
      name: 'of another authority',
      make: async () => openssl.issue({ subject: '/CN=jane', issuer: await openssl.authority('client-ca') }),
    },
    {
      name: 'for servers only',
      make: () => openssl.issue({ subject: '/CN=jane', issuer: ca, extensions: ['extendedKeyUsage=serverAuth'] }),
    },
    { name: 'that is self-signed', make: () => openssl.issue({ subject: '/CN=jane' }) },
    {
      name: 'without a common name',
      make: () =>
        openssl.issue({
          subject: '/O=system:masters',
          issuer: ca,
          extensions: ['extendedKeyUsage=clientAuth', 'subjectAltName=DNS:jane,email:jane@example.com'],
        }),
    },
    { name: 'of the proxies', make: () => openssl.issue({ subject: '/O=system:masters/CN=jane', issuer: proxyCa }) },
    {
      name: 'signed by one that may not sign',
      make: async () => {
        const leaf = await openssl.issue({ subject: '/CN=john', issuer: ca });
        const forged = await openssl.issue({ subject: '/O=system:masters/CN=jane', issuer: leaf });
        return { certificate: forged.certificate + leaf.certificate, key: forged.key };
      },
    },
    {
      name: 'below an issuer of version 1, which only an authority may be',
      make: async () => {
        const between = await openssl.issue({ subject: '/CN=between', issuer: ca, extensions: [] });
        const leaf = await openssl.issue({ subject: '/CN=jane', issuer: between });
        return { certificate: leaf.certificate + between.certificate, key: leaf.key };
      },
    },
    { name: 'of an authority that may not sign', make: () => openssl.issue({ subject: '/CN=jane', issuer: plain }) },
    {
      name: 'below an issuer for servers only',
      make: async () => {
        const between = await openssl.issue({
          subject: '/CN=between',
          issuer: ca,
          extensions: [...authorityExtensions, 'extendedKeyUsage=serverAuth'],
        });
        const leaf = await openssl.issue({ subject: '/CN=jane', issuer: between });
        return { certificate: leaf.certificate + between.certificate, key: leaf.key };
      },
    },
  ])('One $name is refused with 401', async ({ make }) => {
    expect(await server.whoAmI({ certificate: await make() })).toBe(401);
  });

  test('The answer is the Status that clients know', async () => {
    const answer = await server.call({ certificate: await openssl.issue({ subject: '/CN=jane' }) });
    expect([answer.status, answer.body]).toEqual([
      401,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'Unauthorized',
        reason: 'Unauthorized',
        code: 401,
      },
    ]);
  });
});

describe('request headers of a front proxy', () => {
  test('Request headers of a front proxy name the user, groups and extra, from the headers as sent', async () => {
    const certificate = await openssl.issue({ subject: '/CN=proxy', issuer: proxyCa });
    const headers = [
      'x-remote-user',
      '',
      'X-Other-User',
      'jane',
      'X-Remote-Group',
      'a,b',
      'X-Remote-Group',
      'c',
      'X-Remote-Extra-Acme.com%2fTeam',
      'red',
      'X-Remote-Extra-acme.com%2fteam',
      'blue',
      'X-Remote-Extra-Bad%zz',
      'x',
    ];
    expect(await server.whoAmI({ certificate, headers })).toEqual({
      username: 'jane',
      groups: ['a,b', 'c', 'system:authenticated'],
      extra: { 'acme.com/team': ['red', 'blue'], 'bad%zz': ['x'] },
    });
    expect(await server.whoAmI({ certificate, headers: named('system:anonymous') })).toMatchObject({
      username: 'system:anonymous',
      groups: ['system:masters'],
    });
  });

  test('Request headers of a front proxy of a front proxy count over HTTP/2 too', async () => {
    const { certificate: cert, key } = await openssl.issue({ subject: '/CN=proxy', issuer: proxyCa });
    const session = http2.connect(server.url, { ca: server.ca, servername: 'localhost', cert, key });
    expect(await callServer2(session, '/api', { 'x-remote-user': 'jane' })).toMatchObject({ status: 200 });
    expect(await callServer2(session, '/api')).toMatchObject({ status: 401 });
    session.destroy();
  });

  test.each([
    { name: 'a client without a certificate', make: () => undefined },
    { name: 'a proxy that is not on the list', make: () => openssl.issue({ subject: '/CN=other', issuer: proxyCa }) },
    {
      name: 'a proxy of another authority',
      make: async () => openssl.issue({ subject: '/CN=proxy', issuer: await openssl.authority('proxy-ca') }),
    },
    {
      name: 'a proxy whose certificate has ended',
      make: () => openssl.issue({ subject: '/CN=proxy', issuer: proxyCa, days: -1 }),
    },
  ])('Request headers of a front proxy from $name mean nothing', async ({ make }) => {
    const certificate = await make();
    expect(await server.whoAmI({ headers: named('root'), ...(certificate === undefined ? {} : { certificate }) })).toBe(
      401,
    );
  });

  test('Front proxy headers are ignored from a user with a certificate of the client authority', async () => {
    const certificate = await openssl.issue({ subject: '/CN=proxy', issuer: ca });
    expect(await server.whoAmI({ certificate, headers: named('root') })).toMatchObject({
      username: 'proxy',
      groups: ['system:authenticated'],
    });
  });
});

describe('authorities that are replaced while the server runs', () => {
  test('Certificates of removed authorities are refused, also on open connections; new authorities count', async () => {
    const [old, next] = [await openssl.authority('old'), await openssl.authority('next')];
    const file = await openssl.file('replaced.crt', old.certificate);
    await using replaced = await startTestServer({ flags: ['--client-ca-file', file], fileCheckMs: 20 });
    const [before, after] = [
      await openssl.issue({ subject: '/CN=before', issuer: old }),
      await openssl.issue({ subject: '/CN=after', issuer: next }),
    ];
    const session = http2.connect(replaced.url, {
      ca: replaced.ca,
      servername: 'localhost',
      cert: before.certificate,
      key: before.key,
    });
    expect(await callServer2(session, '/api')).toMatchObject({ status: 200 });
    expect(await replaced.whoAmI({ certificate: after })).toBe(401);
    await writeFile(file, next.certificate);
    await expect.poll(() => replaced.whoAmI({ certificate: after })).toMatchObject({ username: 'after' });
    expect(await replaced.whoAmI({ certificate: before })).toBe(401);
    expect(await callServer2(session, '/api')).toMatchObject({ status: 401 });
    session.destroy();
    await writeFile(file, 'nonsense');
    expect(await replaced.whoAmI({ certificate: after })).toMatchObject({ username: 'after' });
  });
});
