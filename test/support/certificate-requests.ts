import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import {
  bitString,
  explicit,
  implicit,
  integer,
  octetString,
  oid,
  sequence,
  set,
  utf8String,
} from '../../src/pki/der-writer.ts';

export interface RequestedSubject {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
  readonly names?: RequestedNames;
}

export interface RequestedNames {
  readonly dns?: readonly string[];
  readonly email?: readonly string[];
  readonly uri?: readonly string[];
  /** IPv4, in dots. */
  readonly ip?: readonly string[];
}

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** A certificate request in PEM, signed with its own key. */
export function certificateRequest({ commonName, organizations = [], names }: RequestedSubject): string {
  const attribute = (id: string, value: string): Buffer => set(sequence(oid(id), utf8String(value)));
  const name = sequence(
    ...organizations.map((value) => attribute('2.5.4.10', value)),
    ...(commonName === undefined ? [] : [attribute('2.5.4.3', commonName)]),
  );
  const info = sequence(
    integer(Buffer.from([0])),
    name,
    createPublicKey(privateKey).export({ format: 'der', type: 'spki' }),
    names === undefined ? Buffer.from([0xa0, 0]) : explicit(0, extensionRequest(names)),
  );
  const der = sequence(info, sequence(oid('1.2.840.10045.4.3.2')), bitString(sign('sha256', info, privateKey)));
  return (
    `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64').replace(/(.{64})/g, '$1\n')}\n-----END ` +
    `CERTIFICATE REQUEST-----\n`
  );
}

function extensionRequest({ dns = [], email = [], uri = [], ip = [] }: RequestedNames): Buffer {
  const names = sequence(
    ...email.map((name) => implicit(1, Buffer.from(name))),
    ...dns.map((name) => implicit(2, Buffer.from(name))),
    ...uri.map((name) => implicit(6, Buffer.from(name))),
    ...ip.map((name) => implicit(7, Buffer.from(name.split('.').map(Number)))),
  );
  const list = sequence(sequence(oid('2.5.29.17'), octetString(names)));
  return sequence(oid('1.2.840.113549.1.9.14'), set(list));
}

/** As `spec.request` has it. */
export const encodedRequest = (subject: RequestedSubject): string =>
  Buffer.from(certificateRequest(subject)).toString('base64');
