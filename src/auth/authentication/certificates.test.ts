import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ReloadableText } from '../../base/reloadable-file.ts';
import {
  caSubject,
  createAdmin,
  createAuthority,
  createFrontProxyClient,
  createServing,
  frontProxyCaSubject,
} from '../../pki/pki.ts';
import type { PeerCertificate } from '../request-facts.ts';
import { fakeRequest } from '../testing/fake-request.ts';
import { TrustedAuthorities } from './certificate-chain.ts';
import { clientCertificates } from './client-certificate.ts';
import { requestHeaders } from './request-header.ts';

const now = new Date();
const [ca, other] = [createAuthority(caSubject, now), createAuthority(caSubject, now)];
const [proxyCa, otherProxyCa] = [createAuthority(frontProxyCaSubject, now), createAuthority(frontProxyCaSubject, now)];
const admin = createAdmin(ca, now);

/** A file that a test replaces. */
function reloadable(text: string): ReloadableText & { replace(next: string): void } {
  const listeners = new Set<() => void>();
  return {
    get: () => text,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    replace: (next) => {
      text = next;
      for (const listener of listeners) listener();
    },
  };
}

function peerOf(pem: string, more: Partial<PeerCertificate> = {}): PeerCertificate {
  return {
    certificate: new X509Certificate(pem),
    issuers: [],
    commonName: 'orch-admin',
    organizations: ['system:masters'],
    verified: true,
    error: undefined,
    ...more,
  };
}

describe('the chain of a client certificate', () => {
  const trusted = new TrustedAuthorities(reloadable(ca.certificate));
  const year = 365 * 24 * 3_600_000;
  test.each([
    ['from the authority', peerOf(admin.certificate), 0, undefined],
    [
      'from another authority',
      peerOf(createAdmin(other, now).certificate),
      0,
      'certificate signed by unknown authority',
    ],
    [
      'that failed at the handshake',
      peerOf(admin.certificate, { verified: false, error: 'certificate revoked' }),
      0,
      'certificate revoked',
    ],
    [
      'for servers only',
      peerOf(createServing(ca, { dnsNames: ['a'], ipAddresses: [] }, now).certificate),
      0,
      'certificate specifies an incompatible key usage',
    ],
    ['after its end', peerOf(admin.certificate), 50 * year, 'certificate has expired or is not yet valid'],
    ['before its start', peerOf(admin.certificate), -year, 'certificate has expired or is not yet valid'],
  ])('The chain of a client certificate is validated: %s', (_, peer, later, problem) => {
    expect(trusted.problemWith(peer, now.getTime() + later)).toBe(problem);
  });

  test('The chain of a client certificate is judged anew when the authorities are replaced', () => {
    const file = reloadable(ca.certificate);
    const followed = new TrustedAuthorities(file);
    const peer = peerOf(admin.certificate);
    expect(followed.problemWith(peer)).toBeUndefined();
    file.replace(other.certificate);
    expect(followed.problemWith(peer)).toBe('certificate signed by unknown authority');
  });
});

describe('a client certificate', () => {
  const authenticator = clientCertificates(new TrustedAuthorities(reloadable(ca.certificate)), () => undefined);
  const ask = (certificate?: PeerCertificate) =>
    authenticator.authenticate(fakeRequest([], certificate === undefined ? {} : { certificate }));

  test('A client certificate names the user and the groups', () => {
    expect(ask(peerOf(admin.certificate))).toMatchObject({ user: { name: 'orch-admin', groups: ['system:masters'] } });
  });

  test.each([
    ['there is none', undefined],
    ['it names no user', peerOf(admin.certificate, { commonName: '' })],
  ])('A client certificate is not the credential where %s', (_, peer) => {
    expect(ask(peer)).toBeUndefined();
  });

  test('A client certificate is refused by its serial number and not by what it says', () => {
    const stranger = peerOf(createAdmin(other, now).certificate);
    expect(() => ask(stranger)).toThrow(
      `verifying certificate SN=${BigInt(`0x${stranger.certificate.serialNumber}`)} failed: ` +
        'x509: certificate signed by unknown authority',
    );
  });
});

describe('headers of a front proxy', () => {
  const proxy = peerOf(createFrontProxyClient(proxyCa, now).certificate, { commonName: 'front-proxy' });
  const ask = (
    headers: readonly string[],
    { certificate, allowedNames = [] }: { certificate?: PeerCertificate; allowedNames?: string[] } = {
      certificate: proxy,
    },
  ) =>
    requestHeaders({
      authorities: new TrustedAuthorities(reloadable(proxyCa.certificate)),
      allowedNames,
      usernameHeaders: ['X-Remote-User', 'X-User'],
      uidHeaders: ['X-Remote-Uid'],
      groupHeaders: ['X-Remote-Group'],
      extraHeaderPrefixes: ['X-Remote-Extra-'],
    }).authenticate(fakeRequest(headers, certificate === undefined ? {} : { certificate }));

  test.each([
    ['the user', ['x-remote-user', 'jane'], { name: 'jane', groups: [] }],
    ['the user in the first header that has one', ['x-remote-user', '', 'x-user', 'joe'], { name: 'joe', groups: [] }],
    ['an id', ['x-remote-user', 'jane', 'x-remote-uid', '7'], { name: 'jane', groups: [], uid: '7' }],
    [
      'groups, each in a header',
      ['x-remote-user', 'jane', 'x-remote-group', 'a, b', 'x-remote-group', 'c'],
      { name: 'jane', groups: ['a, b', 'c'] },
    ],
    [
      'more, under decoded keys',
      [
        'x-remote-user',
        'jane',
        'x-remote-extra-a%2fb',
        '1',
        'x-remote-extra-a%2fb',
        '2',
        'x-remote-extra-__proto__',
        '3',
      ],
      {
        name: 'jane',
        groups: [],
        extra: Object.fromEntries([
          ['a/b', ['1', '2']],
          ['__proto__', ['3']],
        ]),
      },
    ],
  ])('Headers of a front proxy name %s', (_, headers, user) => {
    expect(ask(headers)).toEqual({ user });
  });

  test.each([
    ['without a user', ['x-remote-group', 'a'], proxy],
    ['without a certificate', ['x-remote-user', 'jane'], undefined],
  ])('Headers of a front proxy are no credential %s', (_, headers, peer) => {
    expect(ask(headers, peer === undefined ? {} : { certificate: peer })).toBeUndefined();
  });

  test.each([
    ['of another authority', peerOf(createFrontProxyClient(otherProxyCa, now).certificate), [], 'unknown authority'],
    ['with another name', proxy, ['aggregator'], 'x509: subject with cn=front-proxy is not in the allowed list'],
  ])('Headers of a front proxy are refused with a certificate %s', (_, peer, names, message) => {
    expect(() => ask(['x-remote-user', 'jane'], { certificate: peer, allowedNames: names })).toThrow(message);
  });
});
