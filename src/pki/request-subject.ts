/**
 * The subject of a certificate request. @see {@link https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.4 | RFC 5280,
 * section 4.1.2.4}
 */
import { DerError, derTags, expectTag, readDer } from './der-reader.ts';
import { readPem } from './pem.ts';

export interface RequestSubject {
  /** The last one, where a request has several; empty without one. */
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** Object identifiers in hex. */
const commonNameId = '550403';
const organizationId = '55040a';

const bmpString = 0x1e;

/** Throws {@link DerError} where the text holds no request that can be read. @param pem a block CERTIFICATE REQUEST */
export function requestSubject(pem: string): RequestSubject {
  const [block] = readPem(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') throw new Error('PEM block type must be CERTIFICATE REQUEST');
  const [request] = readDer(block.bytes);
  const [info] = readDer(expectTag(request, derTags.sequence).content);
  const [, name] = readDer(expectTag(info, derTags.sequence).content);
  let commonName = '';
  const organizations: string[] = [];
  for (const set of readDer(expectTag(name, derTags.sequence).content)) {
    for (const attribute of readDer(set.content)) {
      const [oid, value] = readDer(expectTag(attribute, derTags.sequence).content);
      const id = oid?.content.toString('hex');
      if (id === commonNameId) commonName = textOf(value);
      else if (id === organizationId) organizations.push(textOf(value));
    }
  }
  return { commonName, organizations };
}

function textOf(value: { readonly tag: number; readonly content: Buffer } | undefined): string {
  if (value === undefined) return '';
  if (value.tag !== bmpString) return value.content.toString('utf8');
  if (value.content.length % 2 !== 0) throw new DerError('asn1: syntax error: invalid BMPString');
  return Buffer.from(value.content).swap16().toString('utf16le');
}
