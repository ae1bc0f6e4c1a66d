/**
 * Makes X.509 certificates for ECDSA P-256 keys. What it covers is what a control plane's own PKI needs: authorities,
 * and certificates of servers and clients under them.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc5280#section-4 | RFC 5280, section 4}
 */
import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import {
  boolean,
  bitString,
  explicit,
  implicit,
  integer,
  namedBits,
  octetString,
  oid,
  sequence,
  set,
  time,
  utf8String,
} from './der-writer.ts';
import { extension } from './extensions.ts';
import { parseIp } from '../machinery/formats/addresses.ts';

export interface Subject {
  readonly commonName: string;
  readonly organization?: string;
}

export interface CertificateRequest {
  readonly subject: Subject;
  readonly use: 'authority' | 'server' | 'client';
  /** The private key that the certificate is about. */
  readonly key: KeyObject;
  /** The issuer; self-signed when absent. */
  readonly issuer?: { readonly subject: Subject; readonly key: KeyObject };
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** For servers. */
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
}

export const createKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

const ids = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  organization: '2.5.4.10',
  commonName: '2.5.4.3',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
};
/** Bits of KeyUsage, section 4.2.1.3. */
const usage = { digitalSignature: 0, keyCertSign: 5, cRLSign: 6 };

/** The certificate in PEM. */
export function createCertificate(request: CertificateRequest): string {
  const signer = request.issuer ?? request;
  const publicKey = spki(request.key);
  const algorithm = sequence(oid(ids.ecdsaWithSha256));
  const toBeSigned = sequence(
    explicit(0, integer(Buffer.from([2]))), // version 3
    integer(serialNumber()),
    algorithm,
    subjectName(signer.subject),
    sequence(time(request.notBefore), time(request.notAfter)),
    subjectName(request.subject),
    publicKey,
    explicit(3, sequence(...extensions(request, keyIdentifier(publicKey), keyIdentifier(spki(signer.key))))),
  );
  return toPem(sequence(toBeSigned, algorithm, bitString(sign('sha256', toBeSigned, signer.key))));
}

/** Positive and hard to guess, section 4.1.2.2. */
export function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0]! &= 0x7f;
  bytes[0]! |= 0x40;
  return bytes;
}

/** A distinguished name, RFC 5280 section 4.1.2.4. */
export function subjectName({ organization, commonName }: Subject): Buffer {
  const attribute = (id: string, value: string): Buffer => set(sequence(oid(id), utf8String(value)));
  return sequence(
    ...(organization === undefined ? [] : [attribute(ids.organization, organization)]),
    attribute(ids.commonName, commonName),
  );
}

/** The public half, as certificates carry it (SubjectPublicKeyInfo). */
export const spki = (key: KeyObject): Buffer => createPublicKey(key).export({ type: 'spki', format: 'der' });

function extensions(request: CertificateRequest, ownId: Buffer, signerId: Buffer): Buffer[] {
  const authority = request.use === 'authority';
  const names = alternativeNames(request);
  return [
    extension(ids.basicConstraints, authority ? sequence(boolean(true)) : sequence(), true),
    extension(
      ids.keyUsage,
      namedBits(authority ? [usage.digitalSignature, usage.keyCertSign, usage.cRLSign] : [usage.digitalSignature]),
      true,
    ),
    ...(authority
      ? []
      : [extension(ids.extendedKeyUsage, sequence(oid(request.use === 'server' ? ids.serverAuth : ids.clientAuth)))]),
    extension(ids.subjectKeyIdentifier, octetString(ownId)),
    extension(ids.authorityKeyIdentifier, sequence(implicit(0, signerId))),
    ...names,
  ];
}

/** The extension SubjectAltName, section 4.2.1.6; none without names. */
export function alternativeNames({
  dnsNames = [],
  ipAddresses = [],
}: Pick<CertificateRequest, 'dnsNames' | 'ipAddresses'>): Buffer[] {
  const names = [
    ...dnsNames.map((dns) => implicit(2, Buffer.from(dns))),
    ...ipAddresses.map((ip) => implicit(7, ipBytes(ip))),
  ];
  return names.length === 0 ? [] : [extension(ids.subjectAltName, sequence(...names))];
}

/** Any way to make it unique will do (section 4.2.1.2). */
const keyIdentifier = (publicKey: Buffer): Buffer => createHash('sha256').update(publicKey).digest().subarray(0, 20);

/** Network byte order: 4 or 16 bytes. */
function ipBytes(text: string): Buffer {
  const address = parseIp(text);
  if (address === undefined) throw new Error(`not an IP address: ${text}`);
  return Buffer.from(address.value.toString(16).padStart(address.family === 4 ? 8 : 32, '0'), 'hex');
}

export const toPem = (der: Buffer, type = 'CERTIFICATE'): string =>
  `-----BEGIN ${type}-----\n${der.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END ${type}-----\n`;
