import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { certificateChainProblem } from './issued-certificate.ts';
import { certificateRequestProblem } from './certificate-request.ts';

const element = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const length =
    content.length < 0x80
      ? [content.length]
      : content.length < 0x100
        ? [0x81, content.length]
        : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};

function requestOf(
  { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject },
  oid: string,
  digest: string | null,
  spoil = false,
): string {
  const info = element(
    0x30,
    element(0x02, Buffer.from([0])),
    element(0x30),
    publicKey.export({ format: 'der', type: 'spki' }),
    element(0xa0),
  );
  const signature = sign(digest, info, privateKey);
  if (spoil) signature[signature.length - 1]! ^= 1;
  const der = element(
    0x30,
    info,
    element(0x30, element(0x06, Buffer.from(oid, 'hex'))),
    element(0x03, Buffer.from([0]), signature),
  );
  return pem('CERTIFICATE REQUEST', der);
}

const pem = (type: string, der: Buffer): string =>
  `-----BEGIN ${type}-----\n${der.toString('base64').replace(/(.{64})/g, '$1\n')}\n-----END ${type}-----\n`;

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

test.each([
  { name: 'ECDSA', request: requestOf(ec, '2a8648ce3d040302', 'sha256'), problem: undefined },
  { name: 'RSA', request: requestOf(rsa, '2a864886f70d01010b', 'sha256'), problem: undefined },
  { name: 'Ed25519', request: requestOf(ed, '2b6570', null), problem: undefined },
  {
    name: 'an ECDSA signature that was changed',
    request: requestOf(ec, '2a8648ce3d040302', 'sha256', true),
    problem: 'x509: ECDSA verification failure',
  },
  {
    name: 'an RSA signature that was changed',
    request: requestOf(rsa, '2a864886f70d01010b', 'sha256', true),
    problem: 'crypto/rsa: verification error',
  },
  {
    name: 'an unknown algorithm',
    request: requestOf(ec, '2a8648ce3d0403ff'.slice(0, -2), 'sha256'),
    problem: 'x509: cannot verify signature: algorithm unimplemented',
  },
  {
    name: 'another block',
    request: pem('CERTIFICATE', Buffer.from('x')),
    problem: 'PEM block type must be CERTIFICATE REQUEST',
  },
  {
    name: 'a cut request',
    request: pem('CERTIFICATE REQUEST', Buffer.from([0x30, 0x10, 0x00])),
    problem: 'asn1: syntax error: data truncated',
  },
  {
    name: 'something behind it',
    request: pem('CERTIFICATE REQUEST', Buffer.from([0x30, 0, 0x30, 0])),
    problem: 'asn1: syntax error: trailing data',
  },
])('Certificate request: $name', ({ request, problem }) => {
  expect(certificateRequestProblem(request)).toBe(problem);
});

test.each([
  {
    name: 'a key',
    text: pem('PRIVATE KEY', Buffer.from('x')),
    problem: 'only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"',
  },
  {
    name: 'headers',
    text: '-----BEGIN CERTIFICATE-----\nA: b\n\nMA==\n-----END CERTIFICATE-----\n',
    problem: 'no PEM block headers are permitted',
  },
  {
    name: 'an empty block',
    text: '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n',
    problem: 'found CERTIFICATE PEM block containing 0 certificates',
  },
  {
    name: 'no certificate inside',
    text: pem('CERTIFICATE', Buffer.from([0x30, 0])),
    problem: 'x509: malformed certificate',
  },
])('Issued certificates: $name', ({ text, problem }) => {
  expect(certificateChainProblem(text)).toBe(problem);
});
