import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { certificateRequest } from '../../test/support/certificate-requests.ts';
import { extension, readExtensions } from './extensions.ts';
import { createAuthority } from './pki.ts';
import { requestDetails } from './request-details.ts';
import { SigningAuthority } from './signing-authority.ts';

const now = new Date('2026-01-01T00:00:00Z');
const validity = { notBefore: now, notAfter: new Date('2026-01-02T00:00:00Z') };
const pair = createAuthority({ commonName: 'ca', organization: 'org' }, now);
const authority = new SigningAuthority(pair.certificate, pair.key);

const all = {
  commonName: 'system:node:a',
  organizations: ['system:nodes'],
  names: { dns: ['a.example.com'], email: ['a@example.com'], uri: ['spiffe://a'], ip: ['10.0.0.1'] },
};

test('A certificate has the subject, the names and the key of its request, and is that of its authority', () => {
  const request = certificateRequest(all);
  const certificate = new X509Certificate(authority.sign(request, ['server auth', 'client auth'], validity));
  const ca = new X509Certificate(pair.certificate);
  expect(certificate.verify(ca.publicKey)).toBe(true);
  expect(certificate.checkIssued(ca)).toBe(true);
  expect(certificate.ca).toBe(false);
  expect(certificate.subject).toBe('O=system:nodes\nCN=system:node:a');
  expect(certificate.issuer).toBe('O=org\nCN=ca');
  expect(certificate.subjectAltName).toBe(
    'DNS:a.example.com, email:a@example.com, IP Address:10.0.0.1, URI:spiffe://a',
  );
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
  expect([Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]).toEqual([
    validity.notBefore.getTime(),
    validity.notAfter.getTime(),
  ]);
  expect(certificate.publicKey.export({ type: 'spki', format: 'der' })).toEqual(requestDetails(request).publicKey);
});

test('Two certificates of one request have different serial numbers', () => {
  const serials = [1, 2].map(
    () => new X509Certificate(authority.sign(certificateRequest(all), ['client auth'], validity)).serialNumber,
  );
  expect(serials[0]).not.toBe(serials[1]);
});

test.each([
  {
    name: 'a key of another certificate',
    key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    certificate: pair.certificate,
    message: 'the private key is not that of the certificate',
  },
  {
    name: 'two certificates',
    key: pair.key,
    certificate: pair.certificate.repeat(2),
    message: 'expected one certificate, found 2',
  },
  { name: 'no certificate', key: pair.key, certificate: 'x', message: 'expected one certificate, found 0' },
])('An authority is not made of $name', ({ key, certificate, message }) => {
  expect(() => new SigningAuthority(certificate, String(key))).toThrow(message);
});

test('Usages that certificates do not have are refused', () => {
  expect(() => authority.sign(certificateRequest(all), ['client auth', 'other'], validity)).toThrow(
    'unrecognized usage values: other',
  );
});

test('A request that was changed after its signature is refused', () => {
  const der = Buffer.from(certificateRequest(all).replace(/-----.*-----/g, ''), 'base64');
  der[der.indexOf('system:node:a') + 12] = 'b'.charCodeAt(0);
  const changed = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
  expect(() => authority.sign(changed, ['client auth'], validity)).toThrow('unable to verify certificate request');
});

test('The names of a request are read', () => {
  const { dnsNames, emailAddresses, uris, ipAddresses } = requestDetails(certificateRequest(all));
  expect({ dnsNames, emailAddresses, uris, ipAddresses: ipAddresses.map((ip) => [...ip]) }).toEqual({
    dnsNames: ['a.example.com'],
    emailAddresses: ['a@example.com'],
    uris: ['spiffe://a'],
    ipAddresses: [[10, 0, 0, 1]],
  });
});

test('A list with two extensions of one kind is refused: readers would not agree on which counts', () => {
  const names = extension('2.5.29.17', Buffer.from([0x30, 0]));
  expect([...readExtensions(names).keys()]).toEqual(['551d11']);
  expect(() => readExtensions(Buffer.concat([names, names]))).toThrow('duplicate requested extensions');
});
