import { X509Certificate, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { describe, expect, test } from 'vitest';
import { createAuthority, createPki, createSelfSigned } from './pki.ts';
import { firstServiceIp, servingNames } from './serving-names.ts';

const now = new Date('2026-03-01T12:00:00Z');
const names = servingNames({
  bindAddress: '127.0.0.1',
  serviceClusterIpRanges: ['10.0.0.0/24', 'fd00:1::/108'],
  externalHostname: 'api.example.com',
  advertiseAddress: '192.0.2.7',
});
const pki = createPki(names, new Date());

describe('the certificates, RFC 5280', () => {
  const read = (pem: string) => new X509Certificate(pem);

  test.each([
    { name: 'the authority', pair: pki.ca, subject: 'CN=orch-ca', issuer: 'CN=orch-ca', ca: true },
    {
      name: 'the serving certificate',
      pair: pki.serving,
      subject: 'CN=orch-apiserver',
      issuer: 'CN=orch-ca',
      ca: false,
    },
    {
      name: 'the administrator',
      pair: pki.admin,
      subject: 'O=system:masters\nCN=orch-admin',
      issuer: 'CN=orch-ca',
      ca: false,
    },
    {
      name: 'the front proxy authority',
      pair: pki.frontProxyCa,
      subject: 'CN=orch-front-proxy-ca',
      issuer: 'CN=orch-front-proxy-ca',
      ca: true,
    },
    {
      name: 'the front proxy client',
      pair: pki.frontProxyClient,
      subject: 'CN=front-proxy-client',
      issuer: 'CN=orch-front-proxy-ca',
      ca: false,
    },
  ])('The certificates, RFC 5280: $name has its subject, issuer and key', ({ pair, subject, issuer, ca }) => {
    const certificate = read(pair.certificate);
    expect([certificate.subject, certificate.issuer, certificate.ca]).toEqual([subject, issuer, ca]);
    expect(certificate.checkPrivateKey(createPrivateKey(pair.key))).toBe(true);
    expect(createPrivateKey(pair.key).asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  });

  test('Each is signed by its authority, and only by that one', () => {
    const key = createPublicKey(pki.ca.certificate);
    expect([pki.serving, pki.admin, pki.ca].map(({ certificate }) => read(certificate).verify(key))).toEqual([
      true,
      true,
      true,
    ]);
    expect([pki.frontProxyClient, pki.frontProxyCa].map(({ certificate }) => read(certificate).verify(key))).toEqual([
      false,
      false,
    ]);
    expect(read(pki.serving.certificate).checkIssued(read(pki.ca.certificate))).toBe(true);
  });

  test('The serving certificate has the names of the machine, the cluster and the first service addresses', () => {
    const certificate = read(pki.serving.certificate);
    for (const name of [
      'localhost',
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      'kubernetes.default.svc.cluster.local',
      'api.example.com',
    ]) {
      expect(certificate.checkHost(name), name).toBe(name);
    }
    for (const address of ['127.0.0.1', '::1', '10.0.0.1', 'fd00:1::1', '192.0.2.7'])
      expect(certificate.checkIP(address), address).toBe(address);
    expect(certificate.checkHost('example.com')).toBeUndefined();
    expect(certificate.checkIP('10.0.0.2')).toBeUndefined();
  });

  test('A certificate is valid from a little before now, authorities ten years, others one', () => {
    const { certificate } = createAuthority({ commonName: 'a' }, now);
    expect([read(certificate).validFrom, read(certificate).validTo]).toEqual([
      'Mar  1 11:55:00 2026 GMT',
      'Feb 27 12:00:00 2036 GMT',
    ]);
    expect(read(createPki(names, now).admin.certificate).validTo).toBe('Mar  1 12:00:00 2027 GMT');
  });

  test('A certificate writes years from 2050 on with four digits', () => {
    expect(read(createAuthority({ commonName: 'a' }, new Date('2045-01-01T00:00:00Z')).certificate).validTo).toBe(
      'Dec 30 00:00:00 2054 GMT',
    );
  });

  test('A certificate has a serial number of its own', () => {
    expect(
      new Set([pki.ca, pki.serving, pki.admin].map(({ certificate }) => read(certificate).serialNumber)).size,
    ).toBe(3);
  });

  test('The service account key signs, its public half verifies', () => {
    const signature = sign('sha256', Buffer.from('token'), pki.serviceAccount.privateKey);
    expect(verify('sha256', Buffer.from('token'), pki.serviceAccount.publicKey, signature)).toBe(true);
  });
});

describe('in a TLS handshake', () => {
  interface Peer {
    readonly authorized: boolean;
    readonly user: string | undefined;
    readonly groups: string | undefined;
  }

  async function handshake(server: tls.TlsOptions, client: tls.ConnectionOptions): Promise<Peer> {
    const listener = tls.createServer({ ...server, requestCert: true, rejectUnauthorized: false });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const accepted = once(listener, 'secureConnection') as Promise<[tls.TLSSocket]>;
    const socket = tls.connect({ host: '127.0.0.1', port: (listener.address() as AddressInfo).port, ...client });
    try {
      await once(socket, 'secureConnect');
      const [peer] = await accepted;
      const { subject } = peer.getPeerCertificate();
      return {
        authorized: peer.authorized,
        user: subject?.CN as string | undefined,
        groups: subject?.O as string | undefined,
      };
    } finally {
      socket.destroy();
      listener.close();
      accepted.catch(() => undefined);
    }
  }

  const server = { cert: pki.serving.certificate, key: pki.serving.key, ca: pki.ca.certificate };

  test('In a TLS handshake client and server trust each other through the authority', async () => {
    const peer = await handshake(server, { ca: pki.ca.certificate, cert: pki.admin.certificate, key: pki.admin.key });
    expect(peer).toEqual({ authorized: true, user: 'orch-admin', groups: 'system:masters' });
  });

  test.each(['kubernetes.default.svc', 'localhost'])('The server may be called %s', async (servername) => {
    expect(await handshake(server, { ca: pki.ca.certificate, servername })).toMatchObject({ user: undefined });
  });

  test('A client refuses a server under a name that is not in its certificate', async () => {
    await expect(handshake(server, { ca: pki.ca.certificate, servername: 'elsewhere.example' })).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });

  test('A client of another control plane is refused in both directions', async () => {
    const other = createPki(names, new Date());
    await expect(handshake(server, { ca: other.ca.certificate })).rejects.toMatchObject({
      code: 'SELF_SIGNED_CERT_IN_CHAIN',
    });
    expect(
      (await handshake(server, { ca: pki.ca.certificate, cert: other.admin.certificate, key: other.admin.key }))
        .authorized,
    ).toBe(false);
  });

  test("The front proxy's certificate is no client certificate", async () => {
    expect(
      (
        await handshake(server, {
          ca: pki.ca.certificate,
          cert: pki.frontProxyClient.certificate,
          key: pki.frontProxyClient.key,
        })
      ).authorized,
    ).toBe(false);
  });

  test('A serving certificate does not prove a client, nor the reverse', async () => {
    expect(
      (await handshake(server, { ca: pki.ca.certificate, cert: pki.serving.certificate, key: pki.serving.key }))
        .authorized,
    ).toBe(false);
    await expect(
      handshake(
        { cert: pki.admin.certificate, key: pki.admin.key },
        { ca: pki.ca.certificate, servername: 'localhost' },
      ),
    ).rejects.toMatchObject({ code: 'INVALID_PURPOSE' });
  });

  test('A self-signed certificate brings its own authority', async () => {
    const own = createSelfSigned('api.example.com', names, new Date());
    const authority = own.certificate.slice(own.certificate.lastIndexOf('-----BEGIN'));
    expect(
      await handshake({ cert: own.certificate, key: own.key }, { ca: authority, servername: 'api.example.com' }),
    ).toMatchObject({ user: undefined });
  });
});

test.each([
  { range: '10.0.0.0/24', ip: '10.0.0.1' },
  { range: '10.96.1.77/12', ip: '10.96.0.1' },
  { range: '192.168.255.248/29', ip: '192.168.255.249' },
  { range: 'fd00:1::/108', ip: 'fd00:1::1' },
  { range: 'nonsense', ip: undefined },
])('The first service address of $range is $ip', ({ range, ip }) => {
  expect(firstServiceIp(range)).toBe(ip);
});

describe('servingNames', () => {
  test('servingNames names every interface when the server listens on all of them', () => {
    const wild = servingNames({ bindAddress: '0.0.0.0', serviceClusterIpRanges: [] });
    expect(wild.ipAddresses).toEqual(expect.arrayContaining(['127.0.0.1', '::1']));
    expect(wild.ipAddresses).not.toContain('0.0.0.0');
  });

  test('servingNames leaves out what is no DNS name, and says nothing twice', () => {
    const { dnsNames, ipAddresses } = servingNames({
      bindAddress: '127.0.0.1',
      externalHostname: 'not a name',
      advertiseAddress: '127.0.0.1',
      serviceClusterIpRanges: [],
    });
    expect(dnsNames).not.toContain('not a name');
    expect(ipAddresses).toEqual(['127.0.0.1', '::1']);
  });
});
