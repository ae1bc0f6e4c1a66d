/**
 * Extensions of certificates and of certificate requests.
 * @see {@link https://www.rfc-editor.org/rfc/rfc5280#section-4.2 | RFC 5280, section 4.2}
 */
import { boolean, octetString, oid, sequence } from './der-writer.ts';
import { DerError, derTags, expectTag, readDer } from './der-reader.ts';

/** Object identifiers in hex. */
export const extensionIds = { subjectKeyIdentifier: '551d0e', subjectAltName: '551d11' } as const;

export const extension = (id: string, value: Buffer, critical = false): Buffer =>
  sequence(oid(id), ...(critical ? [boolean(true)] : []), octetString(value));

/**
 * The values of a list of extensions, by object identifier in hex. Throws {@link DerError} for a list that has one
 * twice: readers would not agree on which of them counts.
 */
export function readExtensions(list: Buffer): Map<string, Buffer> {
  const values = new Map<string, Buffer>();
  for (const each of readDer(list)) {
    const parts = readDer(expectTag(each, derTags.sequence).content);
    const id = expectTag(parts[0], derTags.oid).content.toString('hex');
    if (values.has(id)) throw new DerError('x509: certificate request contains duplicate requested extensions');
    values.set(id, expectTag(parts.at(-1), derTags.octetString).content);
  }
  return values;
}
