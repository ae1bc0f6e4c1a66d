/** Whom a certificate request is for. @see {@link https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.4 | RFC 5280, section 4.1.2.4} */
import { derTags, expectTag, readDer } from './der.ts';
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

/** Throws where the text holds no request that can be read. @param pem a block CERTIFICATE REQUEST */
export function requestSubject(pem: string): RequestSubject {
  const [block] = readPem(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') throw new Error('PEM block type must be CERTIFICATE REQUEST');
  const [request] = readDer(block.bytes);
  const [info] = readDer(expectTag(request, derTags.sequence).content);
  const [, name] = readDer(expectTag(info, derTags.sequence).content);
  const attributes = readDer(expectTag(name, derTags.sequence).content).flatMap((set) => readDer(set.content)).map((attribute) => readDer(expectTag(attribute, derTags.sequence).content));
  const valuesOf = (id: string): string[] => attributes.filter(([oid]) => oid?.content.toString('hex') === id).map(([, value]) => textOf(value));
  return { commonName: valuesOf(commonNameId).at(-1) ?? '', organizations: valuesOf(organizationId) };
}

function textOf(value: { readonly tag: number; readonly content: Buffer } | undefined): string {
  if (value === undefined) return '';
  return value.tag === bmpString ? Buffer.from(value.content).swap16().toString('utf16le') : value.content.toString('utf8');
}
