/**
 * What a certificate request asks for: its subject, its key and its names.
 * @see {@link https://www.rfc-editor.org/rfc/rfc2986#section-4.1 | RFC 2986, section 4.1}, {@link
 *   https://www.rfc-editor.org/rfc/rfc5280#section-4.2.1.6 | RFC 5280, section 4.2.1.6}
 */
import { DerError, type DerElement, derTags, expectTag, readDer } from './der-reader.ts';
import { extensionIds, readExtensions } from './extensions.ts';
import { readPem } from './pem.ts';
import { subjectAttributes } from './request-subject.ts';

export interface RequestNames {
  readonly dnsNames: readonly string[];
  readonly emailAddresses: readonly string[];
  /** In network byte order, 4 or 16 bytes each. */
  readonly ipAddresses: readonly Buffer[];
  readonly uris: readonly string[];
}

export interface RequestDetails extends RequestNames {
  /** Values by object identifier in hex, in the order of the request. */
  readonly subject: ReadonlyMap<string, readonly string[]>;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Buffer;
}

/** In hex: 1.2.840.113549.1.9.14. */
const extensionRequestId = '2a864886f70d01090e';
const attributesTag = 0xa0;
const nameTags = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 };

/** Throws {@link DerError} where the text holds no request that can be read. @param pem a block CERTIFICATE REQUEST */
export function requestDetails(pem: string): RequestDetails {
  const [block] = readPem(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') throw new DerError('PEM block type must be CERTIFICATE REQUEST');
  const [request] = readDer(block.bytes);
  const [info] = readDer(expectTag(request, derTags.sequence).content);
  const [, name, publicKey, attributes] = readDer(expectTag(info, derTags.sequence).content);
  const subject = new Map<string, string[]>();
  for (const { id, value } of subjectAttributes(expectTag(name, derTags.sequence)))
    subject.set(id, [...(subject.get(id) ?? []), value]);
  return {
    subject,
    publicKey: expectTag(publicKey, derTags.sequence).whole,
    ...namesOf(requestedExtensions(attributes).get(extensionIds.subjectAltName)),
  };
}

function requestedExtensions(attributes: DerElement | undefined): ReadonlyMap<string, Buffer> {
  if (attributes === undefined) return new Map();
  const lists = readDer(expectTag(attributes, attributesTag).content).flatMap((attribute) => {
    const [id, values] = readDer(expectTag(attribute, derTags.sequence).content);
    if (expectTag(id, derTags.oid).content.toString('hex') !== extensionRequestId) return [];
    return readDer(values?.content ?? Buffer.alloc(0)).map((list) => expectTag(list, derTags.sequence).content);
  });
  return readExtensions(Buffer.concat(lists));
}

function namesOf(extension: Buffer | undefined): RequestNames {
  const names = { dnsNames: [], emailAddresses: [], ipAddresses: [], uris: [] } as {
    dnsNames: string[];
    emailAddresses: string[];
    ipAddresses: Buffer[];
    uris: string[];
  };
  if (extension === undefined) return names;
  const [list] = readDer(extension);
  for (const { tag, content } of readDer(expectTag(list, derTags.sequence).content)) {
    if (tag === nameTags.dns) names.dnsNames.push(asciiOf(content, 'dNSName'));
    else if (tag === nameTags.email) names.emailAddresses.push(asciiOf(content, 'rfc822Name'));
    else if (tag === nameTags.uri) names.uris.push(asciiOf(content, 'uniformResourceIdentifier'));
    else if (tag === nameTags.ip) {
      if (content.length !== 4 && content.length !== 16)
        throw new DerError(`x509: cannot parse IP address of length ${content.length}`);
      names.ipAddresses.push(content);
    }
  }
  return names;
}

function asciiOf(content: Buffer, what: string): string {
  if (content.some((byte) => byte >= 0x80)) throw new DerError(`x509: SAN ${what} is malformed`);
  return content.toString('latin1');
}
