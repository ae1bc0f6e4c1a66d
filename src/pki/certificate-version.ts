/**
 * The version of a certificate, which Node does not show. @see {@link
 * https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.1 | RFC 5280, section 4.1.2.1}
 */
import type { X509Certificate } from 'node:crypto';
import { derTags, expectTag, readDer } from './der-reader.ts';

const versionTag = 0xa0;

/** 1, 2 or 3; extensions came with 3. */
export function versionOf(certificate: X509Certificate): number {
  const [whole] = readDer(certificate.raw);
  const [toBeSigned] = readDer(expectTag(whole, derTags.sequence).content);
  const [first] = readDer(expectTag(toBeSigned, derTags.sequence).content);
  if (first?.tag !== versionTag) return 1;
  const [number] = readDer(first.content);
  return expectTag(number, derTags.integer).content.readUInt8() + 1;
}
