import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  authorityName,
  clientSubject,
  createTestAuthorities,
  type TestAuthorities,
} from '../../../test/support/authorities.ts';
import { silentLogger } from '../../base/logger.ts';
import { fixedText, ReloadableFiles } from '../../base/reloadable-file.ts';
import { createTlsServer, type ServingPair, type ServingTls } from './certificate-reload.ts';
import { peerCertificateOf } from './peer-certificate.ts';

type KeyPair = TestAuthorities['ca'];
let authorities: TestAuthorities;
let pairs: Map<string, KeyPair>;
beforeAll(() => {
  authorities = createTestAuthorities();
  pairs = new Map(
    ['first', 'second', 'a.example.com', '*.example.com'].map((name) => [name, authorities.serving(name)]),
  );
});

const fixedPair = (name: string): ServingPair => {
  const { certificate, key } = pairs.get(name)!;
  return { certificate: fixedText(certificate), key: fixedText(key) };
};

/** Files of a directory that ends with the test; `put` replaces one and has it looked at. */
async function openFiles() {
  const directory = await mkdtemp(join(tmpdir(), 'orch-tls-'));
  const files = new ReloadableFiles({ log: silentLogger });
  onTestFinished(async () => {
    await files.stop();
    await rm(directory, { recursive: true });
  });
  const put = async (name: string, text: string): Promise<void> => {
    await writeFile(join(directory, name), text);
    await files.look();
  };
  const watch = async (name: string, text: string) => {
    await put(name, text);
    return files.watch(join(directory, name));
  };
  return {
    put,
    watch,
    watchPair: async (prefix: string, { certificate, key }: KeyPair): Promise<ServingPair> => ({
      certificate: await watch(`${prefix}.crt`, certificate),
      key: await watch(`${prefix}.key`, key),
    }),
  };
}

async function start(more: Partial<ServingTls>) {
  const sockets: tls.TLSSocket[] = [];
  const { server, stop } = createTlsServer(
    {
      ...fixedPair('first'),
      named: [],
      clientAuthorities: undefined,
      cipherSuites: [],
      minVersion: 'TLSv1.2',
      withoutHttp2: false,
      ...more,
    },
    (socket) => void sockets.push(socket.on('error', () => undefined)),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    stop();
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    stop,
    /** The name in the certificate that is shown, the protocols that were agreed, and the server's end. */
    async connect(options: tls.ConnectionOptions = {}) {
      const { port } = server.address() as AddressInfo;
      const client = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
      onTestFinished(() => void client.destroy());
      const [[socket]] = (await Promise.all([once(server, 'secureConnection'), once(client, 'secureConnect')])) as [
        [tls.TLSSocket],
        unknown,
      ];
      const shown = (client.getPeerX509Certificate()?.subjectAltName ?? '').replace('DNS:', '');
      return { shown, alpn: client.alpnProtocol, version: client.getProtocol(), socket };
    },
  };
}

describe('the certificate of a server', () => {
  test('The certificate of a server is the new one when both files are replaced, else the old one', async () => {
    const { watchPair, put } = await openFiles();
    const { connect } = await start(await watchPair('serving', pairs.get('first')!));
    const second = pairs.get('second')!;
    const seen = [(await connect()).shown];
    await put('serving.crt', second.certificate);
    seen.push((await connect()).shown);
    await put('serving.key', second.key);
    seen.push((await connect()).shown);
    expect(seen).toEqual(['first', 'first', 'second']);
  });

  test('The certificate of a server is not followed any more when that is stopped', async () => {
    const { watchPair, put } = await openFiles();
    const { connect, stop } = await start(await watchPair('serving', pairs.get('first')!));
    stop();
    const second = pairs.get('second')!;
    await put('serving.crt', second.certificate);
    await put('serving.key', second.key);
    expect((await connect()).shown).toBe('first');
  });

  test('The certificate of a server that cannot be used is refused at the start', () => {
    const serving = { named: [], clientAuthorities: undefined, cipherSuites: [], withoutHttp2: false } as const;
    const broken = { certificate: fixedText('none'), key: fixedText('none') };
    expect(() => createTlsServer({ ...serving, ...broken, minVersion: 'TLSv1.2' }, () => undefined)).toThrow();
  });
});

describe('a client that asks for a name is shown the certificate', () => {
  const named = () => [
    { ...fixedPair('*.example.com'), names: [] },
    { ...fixedPair('a.example.com'), names: [] },
    { ...fixedPair('second'), names: ['Given.example.org'] },
  ];
  test.each([
    { name: 'that has it, before one with a wildcard', servername: 'a.example.com', shown: 'a.example.com' },
    { name: 'with a wildcard in its place', servername: 'b.example.com', shown: '*.example.com' },
    { name: 'that is given for it, whatever its case', servername: 'given.example.ORG', shown: 'second' },
    {
      name: 'of the server where a wildcard would stand for two labels',
      servername: 'a.b.example.com',
      shown: 'first',
    },
    { name: 'of the server where none has it', servername: 'other', shown: 'first' },
  ])('A client that asks for a name is shown the certificate: $name', async ({ servername, shown }) => {
    const { connect } = await start({ named: named() });
    expect((await connect({ servername })).shown).toBe(shown);
  });

  test('A client that asks for a name is shown the replaced certificate, with its own names', async () => {
    const { watchPair, put } = await openFiles();
    const pair = await watchPair('named', pairs.get('a.example.com')!);
    const { connect } = await start({ named: [{ ...pair, names: [] }] });
    const next = pairs.get('second')!;
    await put('named.crt', next.certificate);
    expect((await connect({ servername: 'a.example.com' })).shown).toBe('a.example.com');
    await put('named.key', next.key);
    const shown = [await connect({ servername: 'a.example.com' }), await connect({ servername: 'second' })];
    expect(shown.map((one) => one.shown)).toEqual(['first', 'second']);
  });
});

test('A certificate for a name is renewed while the files of the server do not fit', async () => {
  const { watchPair, put } = await openFiles();
  const serving = await watchPair('serving', pairs.get('first')!);
  const named = await watchPair('named', pairs.get('a.example.com')!);
  const { connect } = await start({ ...serving, named: [{ ...named, names: ['asked'] }] });
  const next = pairs.get('second')!;
  await put('serving.crt', next.certificate);
  await put('named.crt', next.certificate);
  await put('named.key', next.key);
  expect((await connect({ servername: 'asked' })).shown).toBe('second');
  expect((await connect()).shown).toBe('first');
});

describe('a client agrees on', () => {
  const protocols = ['h2', 'http/1.1'];
  test.each<{ name: string; given: Partial<ServingTls>; alpn?: string; version?: string }>([
    { name: 'HTTP/2 where it can be', given: {}, alpn: 'h2' },
    { name: 'HTTP/1.1 where HTTP/2 is off', given: { withoutHttp2: true }, alpn: 'http/1.1' },
    { name: 'no older TLS than the least', given: { minVersion: 'TLSv1.3' }, version: 'TLSv1.3' },
  ])('A client agrees on $name', async ({ given, alpn = 'h2', version = 'TLSv1.3' }) => {
    const { connect } = await start(given);
    expect(await connect({ ALPNProtocols: protocols })).toMatchObject({ alpn, version });
  });

  test('Nothing where all that it knows is older than the least', async () => {
    const { connect } = await start({ minVersion: 'TLSv1.3' });
    await expect(connect({ maxVersion: 'TLSv1.2' })).rejects.toThrow(/protocol version/i);
  });
});

describe('the certificate of a client', () => {
  const admin = (): tls.ConnectionOptions => {
    const { certificate, key } = authorities.client();
    return { cert: certificate + authorities.ca.certificate, key };
  };

  test('The certificate of a client tells its names, its chain, and whether an authority vouches for it', async () => {
    const { connect } = await start({ clientAuthorities: fixedText(authorities.ca.certificate) });
    const { socket } = await connect(admin());
    const peer = peerCertificateOf(socket);
    expect(peer).toMatchObject({
      commonName: clientSubject.commonName,
      organizations: [clientSubject.organization],
      verified: true,
      error: undefined,
    });
    expect(peer?.issuers.map(({ subject }) => subject)).toEqual([`CN=${authorityName}`]);
    expect(peerCertificateOf(socket)).toBe(peer);
  });

  test.each([
    { name: 'none is sent', vouches: () => authorities.ca.certificate, options: () => ({}) },
    { name: 'none is asked for', vouches: undefined, options: admin },
  ])('The certificate of a client is not there where $name', async ({ vouches, options }) => {
    const { connect } = await start(vouches === undefined ? {} : { clientAuthorities: fixedText(vouches()) });
    expect(peerCertificateOf((await connect(options())).socket)).toBeUndefined();
  });

  test('The certificate of a client is verified by the authorities as they are when it connects', async () => {
    const { watch, put } = await openFiles();
    const { connect } = await start({ clientAuthorities: await watch('ca.crt', authorities.other.certificate) });
    const verified = async () => peerCertificateOf((await connect(admin())).socket);
    expect(await verified()).toMatchObject({ verified: false, error: expect.any(String) as string });
    await put('ca.crt', authorities.ca.certificate);
    expect(await verified()).toMatchObject({ verified: true });
  });
});
