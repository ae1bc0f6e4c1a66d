import http2 from 'node:http2';
import { once } from 'node:events';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { listen } from '../../../src/server/listener.ts';
import { ensureSelfSigned } from '../../../src/cmd/pki/self-signed.ts';
import { canSharePorts } from '../../../src/cmd/flags/shared/secure-serving.ts';
import { fixedText } from '../../../src/base/reloadable-file.ts';
import { callServer2, startTestServer, type TestServer } from '../../support/caller.ts';
import { type OpensslPair } from '../../support/openssl.ts';
import { freePorts } from '../../support/ports.ts';
import { openssl, ca, serving, start, startBeforeTests } from '../../support/servers/tls.ts';

startBeforeTests();

const execFileAsync = promisify(execFile);

async function files(name: string, pair: OpensslPair): Promise<string> {
  return `${await openssl.file(`${name}.crt`, pair.certificate)},${await openssl.file(`${name}.key`, pair.key)}`;
}

/** The common name that is shown, or the code of the error. */
async function shown(server: TestServer, options: tls.ConnectionOptions = {}): Promise<string> {
  const socket = tls.connect({
    port: Number(new URL(server.url).port),
    host: '127.0.0.1',
    servername: 'localhost',
    rejectUnauthorized: false,
    ...options,
  });
  try {
    await once(socket, 'secureConnect');
    return String(socket.getPeerCertificate().subject.CN);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  } finally {
    socket.destroy();
  }
}

describe('certificates by name', () => {
  test('The one that has the name is shown: by the flag first, else by what stands in it', async () => {
    const named = await files('named', await serving('named', 'a.example.com', '*.wild.example.com'));
    const told = await files('told', await serving('told', 'other.example.com'));
    await using server = await start(
      '--tls-sni-cert-key',
      named,
      '--tls-sni-cert-key',
      `${told}:b.example.com,*.b.example.com`,
    );
    const names = [
      'a.example.com',
      'A.Example.Com',
      'x.wild.example.com',
      'x.y.wild.example.com',
      'b.example.com',
      'x.b.example.com',
      'other.example.com',
      'localhost',
    ];
    expect(await Promise.all(names.map((servername) => shown(server, { servername })))).toEqual([
      'named',
      'named',
      'named',
      'orch-apiserver',
      'told',
      'told',
      'orch-apiserver',
      'orch-apiserver',
    ]);
  });

  test('New certificate files are shown to connections that come later, once they fit together', async () => {
    const [first, second, other, third] = [
      await serving('first', 'localhost'),
      await serving('second', 'localhost'),
      await serving('other', 'o.example.com'),
      await serving('third', 'p.example.com'),
    ];
    const [cert = '', key = ''] = (await files('own', first)).split(',');
    const [otherCert = '', otherKey = ''] = (await files('other', other)).split(',');
    await using server = await start(
      '--tls-cert-file',
      cert,
      '--tls-private-key-file',
      key,
      '--tls-sni-cert-key',
      `${otherCert},${otherKey}`,
    );
    expect(await shown(server)).toBe('first');
    await writeFile(cert, second.certificate);
    await writeFile(otherCert, third.certificate);
    await writeFile(otherKey, third.key);
    expect(await shown(server)).toBe('first');
    await writeFile(key, second.key);
    await expect.poll(() => shown(server)).toBe('second');
    await expect.poll(() => shown(server, { servername: 'p.example.com' })).toBe('third');
    expect(await shown(server, { servername: 'o.example.com' })).toBe('second');
  });

  test('Clients are known by their certificates on named connections too', async () => {
    const clients = await openssl.authority('clients');
    const named = await files('with-clients', await serving('named', 'localhost'));
    await using server = await start(
      '--client-ca-file',
      await openssl.file('clients.crt', clients.certificate),
      '--tls-sni-cert-key',
      named,
    );
    const certificate = await openssl.issue({ subject: '/CN=jane', issuer: clients });
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = tls.connect({
        port: Number(new URL(server.url).port),
        host: '127.0.0.1',
        servername: 'localhost',
        ca: ca.certificate,
        cert: certificate.certificate,
        key: certificate.key,
      });
      socket.once('error', reject);
      let text = '';
      socket.on('data', (chunk) => {
        text += String(chunk);
        if (text.includes('\r\n\r\n{')) resolve(text);
      });
      socket.write('GET /version HTTP/1.1\r\nhost: localhost\r\n\r\n');
    });
    expect(answer).toContain('200 OK');
  });
});

describe('a certificate that the server made itself', () => {
  test('A certificate that the server made is verified by OpenSSL by name and address', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'orch-cert-'));
    const pair = await ensureSelfSigned({
      directory,
      pairName: 'apiserver',
      commonName: 'api.example.com',
      names: { dnsNames: ['api.example.com'], ipAddresses: ['127.0.0.1'] },
      now: new Date(),
    });
    const transport = await listen({
      address: '127.0.0.1',
      port: 0,
      maxStreamsPerConnection: 0,
      handle: () => Promise.resolve({ status: 200, headers: {} }),
      tls: {
        certificate: fixedText(pair.certificate),
        key: fixedText(pair.key),
        named: [],
        clientAuthorities: undefined,
        cipherSuites: [],
        minVersion: 'TLSv1.2',
        withoutHttp2: false,
      },
    });
    const certificate = path.join(directory, 'apiserver.crt');
    const verify = (...names: string[]): Promise<string> => {
      const client = execFileAsync('openssl', [
        's_client',
        '-connect',
        `127.0.0.1:${transport.port}`,
        '-CAfile',
        certificate,
        '-verify_return_error',
        '-brief',
        ...names,
      ]);
      client.child.stdin!.end();
      return client.then(({ stdout, stderr }) => stdout + stderr);
    };
    expect(await verify('-verify_hostname', 'api.example.com')).toContain('Verification: OK');
    expect(await verify('-verify_ip', '127.0.0.1')).toContain('Verification: OK');
    await expect(verify('-verify_hostname', 'other.example.com')).rejects.toThrow();
    expect((await stat(path.join(directory, 'apiserver.key'))).mode & 0o777).toBe(0o600);
    await transport.close(0);
    await rm(directory, { recursive: true });
  });
});

describe('versions and cipher suites', () => {
  test.each([
    { flags: [], tried: ['TLSv1.1', 'TLSv1.2', 'TLSv1.3'], works: [false, true, true] },
    { flags: ['--tls-min-version=VersionTLS13'], tried: ['TLSv1.2', 'TLSv1.3'], works: [false, true] },
    { flags: ['--tls-min-version=VersionTLS10'], tried: ['TLSv1', 'TLSv1.1', 'TLSv1.2'], works: [true, true, true] },
  ])('TLS versions and cipher suites: $flags', async ({ flags, tried, works }) => {
    await using server = await start(...flags);
    const results = await Promise.all(
      tried.map((version) =>
        shown(server, {
          minVersion: version as tls.SecureVersion,
          maxVersion: version as tls.SecureVersion,
          ciphers: 'ALL:@SECLEVEL=0',
        }),
      ),
    );
    expect(results.map((result) => result === 'orch-apiserver')).toEqual(works);
  });

  test('Only the cipher suites that are named are spoken, beside those of TLS 1.3', async () => {
    await using server = await start('--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384');
    const speak = (ciphers: string): Promise<string> => shown(server, { maxVersion: 'TLSv1.2', ciphers });
    expect(await speak('ECDHE-ECDSA-AES256-GCM-SHA384')).toBe('orch-apiserver');
    expect(await speak('ECDHE-ECDSA-AES128-GCM-SHA256')).toMatch(/^(?:ERR_SSL|ECONNRESET)/);
    expect(await shown(server, { minVersion: 'TLSv1.3' })).toBe('orch-apiserver');
  });

  test('Without HTTP/2, clients get HTTP/1.1', async () => {
    await using server = await start('--disable-http2-serving');
    const socket = tls.connect({
      port: Number(new URL(server.url).port),
      host: '127.0.0.1',
      servername: 'localhost',
      ca: server.ca,
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    await once(socket, 'secureConnect');
    expect(socket.alpnProtocol).toBe('http/1.1');
    socket.destroy();
  });
});

describe('browsers', () => {
  test('Origins that may call, may; a preflight needs no credentials; browsers keep to TLS', async () => {
    await using server = await start(
      '--cors-allowed-origins=//example\\.com(:|$)',
      '--strict-transport-security-directives=max-age=31536000,includeSubDomains',
    );
    const preflight = await server.call({ method: 'OPTIONS', headers: ['origin', 'https://example.com:8443'] });
    expect([
      preflight.status,
      preflight.headers['access-control-allow-origin'],
      preflight.headers['access-control-allow-credentials'],
    ]).toEqual([204, 'https://example.com:8443', 'true']);
    const refused = await server.call({ headers: ['origin', 'https://example.com'] });
    expect([
      refused.status,
      refused.headers['access-control-allow-origin'],
      refused.headers['strict-transport-security'],
    ]).toEqual([401, 'https://example.com', 'max-age=31536000; includeSubDomains']);
    for (const origin of ['https://example.com.evil.org', 'https://evil-example.com', 'null']) {
      const other = await server.call({ method: 'OPTIONS', headers: ['origin', origin] });
      expect([other.status, other.headers['access-control-allow-origin']]).toEqual([401, undefined]);
    }
  });
});

test('--goaway-chance asks a client over HTTP/2 now and then to open a new connection, after an answer', async () => {
  // An unauthenticated client loses the connection in any case.
  await using server = await start(
    '--goaway-chance=0.02',
    '--token-auth-file',
    await openssl.file('tokens.csv', 'jane-token,jane,1\n'),
  );
  const session = http2.connect(server.url, { ca: server.ca, servername: 'localhost' });
  const goaway = once(session, 'goaway');
  while (!session.closed)
    expect((await callServer2(session, '/version', { authorization: 'Bearer jane-token' })).status).toBe(200);
  await goaway;
  session.destroy();
});

test('--permit-address-sharing: a server can start where one has just closed connections', async () => {
  const [port = 0] = await freePorts(1);
  for (let i = 0; i < 2; i++) {
    await using server = await startTestServer({ port, flags: ['--permit-address-sharing'] });
    const socket = tls.connect({ port, host: '127.0.0.1', servername: 'localhost', ca: server.ca });
    await once(socket, 'secureConnect');
    socket.on('error', () => undefined);
    // The server's side ends first, and waits for what may still be on its way.
    const ended = once(socket, 'close');
    await server.close();
    await ended;
  }
});

describe('--permit-port-sharing', () => {
  test.runIf(canSharePorts())('--permit-port-sharing lets two servers listen on one port', async () => {
    const [port = 0] = await freePorts(1);
    await using one = await startTestServer({ port, flags: ['--permit-port-sharing'] });
    await using two = await startTestServer({ port, flags: ['--permit-port-sharing'] });
    expect([one.url, two.url]).toEqual([`https://127.0.0.1:${port}`, `https://127.0.0.1:${port}`]);
    await expect(startTestServer({ port })).rejects.toThrow('in use');
  });

  test.runIf(!canSharePorts())(
    '--permit-port-sharing is refused by a runtime that cannot, which says what it needs',
    async () => {
      await expect(startTestServer({ flags: ['--permit-port-sharing'] })).rejects.toThrow(
        `--permit-port-sharing needs Node 22.12 or newer: this is ${process.versions.node}`,
      );
    },
  );

  test.each([
    { version: '20.19.0', can: false },
    { version: '22.11.0', can: false },
    { version: '22.12.0', can: true },
    { version: '23.0.0', can: false },
    { version: '23.1.0', can: true },
    { version: '24.0.0', can: true },
  ])('--permit-port-sharing: $version: $can', ({ version, can }) => {
    expect(canSharePorts(version)).toBe(can);
  });
});
