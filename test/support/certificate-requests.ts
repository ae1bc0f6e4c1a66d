import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { bitString, integer, oid, sequence, set, utf8String } from '../../src/pki/der-writer.ts';

export interface RequestedSubject {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
}

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** A certificate request in PEM, signed with its own key. */
export function certificateRequest({ commonName, organizations = [] }: RequestedSubject): string {
  const attribute = (id: string, value: string): Buffer => set(sequence(oid(id), utf8String(value)));
  const name = sequence(
    ...organizations.map((value) => attribute('2.5.4.10', value)),
    ...(commonName === undefined ? [] : [attribute('2.5.4.3', commonName)]),
  );
  const info = sequence(
    integer(Buffer.from([0])),
    name,
    createPublicKey(privateKey).export({ format: 'der', type: 'spki' }),
    Buffer.from([0xa0, 0]),
  );
  const der = sequence(info, sequence(oid('1.2.840.10045.4.3.2')), bitString(sign('sha256', info, privateKey)));
  return (
    `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64').replace(/(.{64})/g, '$1\n')}\n-----END ` +
    `CERTIFICATE REQUEST-----\n`
  );
}

/** As `spec.request` has it. */
export const encodedRequest = (subject: RequestedSubject): string =>
  Buffer.from(certificateRequest(subject)).toString('base64');
