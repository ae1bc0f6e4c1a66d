/**
 * The subject of a certificate request. @see {@link https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.4 | RFC 5280,
 * section 4.1.2.4}
 */
import { DerError, type DerElement, derTags, expectTag, readDer } from './der-reader.ts';
import { readPem } from './pem.ts';

export interface RequestSubject {
  /** The last one, where a request has several; empty without one. */
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** Object identifiers in hex. */
export const subjectIds = { commonName: '550403', organization: '55040a' } as const;

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
  for (const { id, value } of subjectAttributes(expectTag(name, derTags.sequence))) {
    if (id === subjectIds.commonName) commonName = value;
    else if (id === subjectIds.organization) organizations.push(value);
  }
  return { commonName, organizations };
}

/** The attributes of a name in their order. */
export function subjectAttributes({ content }: DerElement): { readonly id: string; readonly value: string }[] {
  return readDer(content).flatMap((set) =>
    readDer(set.content).map((attribute) => {
      const [oid, value] = readDer(expectTag(attribute, derTags.sequence).content);
      return { id: oid?.content.toString('hex') ?? '', value: textOf(value) };
    }),
  );
}

function textOf(value: { readonly tag: number; readonly content: Buffer } | undefined): string {
  if (value === undefined) return '';
  if (value.tag !== bmpString) return value.content.toString('utf8');
  if (value.content.length % 2 !== 0) throw new DerError('asn1: syntax error: invalid BMPString');
  return Buffer.from(value.content).swap16().toString('utf16le');
}
