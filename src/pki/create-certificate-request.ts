/** Makes certificate requests (PKCS #10), RFC 2986 section 4, for ECDSA P-256 keys. */
import { type KeyObject, sign } from 'node:crypto';
import { alternativeNames, spki, type Subject, subjectName, toPem } from './certificate.ts';
import { bitString, explicit, integer, oid, sequence, set } from './der-writer.ts';
import type { ServingNames } from './serving-names.ts';

export interface RequestedCertificate extends Partial<ServingNames> {
  readonly subject: Subject;
  /** The private key that the certificate will be about. The request is signed with it. */
  readonly key: KeyObject;
}

const ecdsaWithSha256 = '1.2.840.10045.4.3.2';
/** RFC 2985 section 5.4.2 */
const extensionRequest = '1.2.840.113549.1.9.14';

/** The request in PEM. */
export function createCertificateRequest({ subject, key, ...names }: RequestedCertificate): string {
  const extensions = alternativeNames(names);
  const attributes =
    extensions.length === 0 ? Buffer.alloc(0) : sequence(oid(extensionRequest), set(sequence(...extensions)));
  const info = sequence(integer(Buffer.from([0])), subjectName(subject), spki(key), explicit(0, attributes));
  const signed = sequence(info, sequence(oid(ecdsaWithSha256)), bitString(sign('sha256', info, key)));
  return toPem(signed, 'CERTIFICATE REQUEST');
}
