/**
 * A certificate authority that signs the requests of others.
 * @see {@link https://www.rfc-editor.org/rfc/rfc5280#section-4.1 | RFC 5280, section 4.1}
 */
import { createPrivateKey, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { certificateRequestProblem } from './certificate-request.ts';
import { serialNumber, toPem } from './certificate.ts';
import { derTags, expectTag, readDer } from './der-reader.ts';
import { bitString, explicit, implicit, integer, oid, sequence, set, time, utf8String } from './der-writer.ts';
import { extension, extensionIds, readExtensions } from './extensions.ts';
import { usageExtensions } from './key-usages.ts';
import { readPem } from './pem.ts';
import { requestDetails, type RequestDetails, type RequestNames } from './request-details.ts';

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

interface SignatureAlgorithm {
  readonly digest: string | null;
  readonly identifier: Buffer;
}

const derNull = Buffer.from([5, 0]);
const ecdsa = (digest: string, id: string): SignatureAlgorithm => ({ digest, identifier: sequence(oid(id)) });

/** By type of key, and by curve where it has one. */
const algorithms: Readonly<Record<string, SignatureAlgorithm>> = {
  rsa: { digest: 'sha256', identifier: sequence(oid('1.2.840.113549.1.1.11'), derNull) },
  prime256v1: ecdsa('sha256', '1.2.840.10045.4.3.2'),
  secp384r1: ecdsa('sha384', '1.2.840.10045.4.3.3'),
  secp521r1: ecdsa('sha512', '1.2.840.10045.4.3.4'),
  ed25519: { digest: null, identifier: sequence(oid('1.3.101.112')) },
};

/** Attributes of a subject that certificates keep, in their order: hex of the identifier, identifier. */
const repeated = [
  ['550406', '2.5.4.6'],
  ['55040a', '2.5.4.10'],
  ['55040b', '2.5.4.11'],
  ['550407', '2.5.4.7'],
  ['550408', '2.5.4.8'],
  ['550409', '2.5.4.9'],
  ['550411', '2.5.4.17'],
] as const;
/** Of these the last one counts. */
const single = [
  ['550403', '2.5.4.3'],
  ['550405', '2.5.4.5'],
] as const;

export class SigningAuthority {
  readonly notAfter: Date;
  readonly #key: KeyObject;
  readonly #algorithm: SignatureAlgorithm;
  readonly #name: Buffer;
  readonly #keyId: Buffer | undefined;

  /** Throws where the texts are not one certificate and its key. @param certificate PEM. @param key PEM */
  constructor(certificate: string, key: string) {
    const blocks = readPem(certificate).filter(({ type }) => type === 'CERTIFICATE');
    if (blocks.length !== 1) throw new Error(`expected one certificate, found ${blocks.length}`);
    const x509 = new X509Certificate(blocks[0]!.bytes);
    this.#key = createPrivateKey(key);
    if (!x509.checkPrivateKey(this.#key)) throw new Error('the private key is not that of the certificate');
    const type = this.#key.asymmetricKeyDetails?.namedCurve ?? this.#key.asymmetricKeyType ?? '';
    const algorithm = algorithms[type];
    if (algorithm === undefined) throw new Error(`a key of type ${type} cannot sign certificates`);
    this.#algorithm = algorithm;
    this.notAfter = new Date(x509.validTo);
    const fields = fieldsOf(x509.raw);
    this.#name = fields.subject;
    this.#keyId = fields.keyId;
  }

  /**
   * The certificate in PEM. Names and the subject are those of the request; of its extensions no others are taken over.
   * Throws where the request is not signed with its own key, or asks for usages that certificates do not have.
   */
  sign(request: string, usages: readonly string[], { notBefore, notAfter }: Validity): string {
    const problem = certificateRequestProblem(request);
    if (problem !== undefined) throw new Error(`unable to verify certificate request signature: ${problem}`);
    const details = requestDetails(request);
    const subject = subjectOf(details);
    const { digest, identifier } = this.#algorithm;
    const extensions = [
      ...usageExtensions(usages),
      extension('2.5.29.19', sequence(), true),
      ...(this.#keyId === undefined ? [] : [extension('2.5.29.35', sequence(implicit(0, this.#keyId)))]),
      ...namesExtension(details, details.subject.size === 0),
    ];
    const toBeSigned = sequence(
      explicit(0, integer(Buffer.from([2]))), // version 3
      integer(serialNumber()),
      identifier,
      this.#name,
      sequence(time(notBefore), time(notAfter)),
      subject,
      details.publicKey,
      explicit(3, sequence(...extensions)),
    );
    return toPem(sequence(toBeSigned, identifier, bitString(sign(digest, toBeSigned, this.#key))));
  }
}

const versionTag = 0xa0;
const extensionsTag = 0xa3;

/** What the certificates of an authority repeat of its own. */
function fieldsOf(der: Buffer): { subject: Buffer; keyId: Buffer | undefined } {
  const [certificate] = readDer(der);
  const [info] = readDer(expectTag(certificate, derTags.sequence).content);
  const all = readDer(expectTag(info, derTags.sequence).content);
  const [, , , , subject] = all.filter(({ tag }) => tag !== versionTag);
  const [list] = readDer(all.find(({ tag }) => tag === extensionsTag)?.content ?? Buffer.alloc(0));
  const keyId = readExtensions(list?.content ?? Buffer.alloc(0)).get(extensionIds.subjectKeyIdentifier);
  return {
    subject: expectTag(subject, derTags.sequence).whole,
    keyId: keyId === undefined ? undefined : expectTag(readDer(keyId)[0], derTags.octetString).content,
  };
}

/** One RDN for each kind of attribute. */
function subjectOf({ subject }: RequestDetails): Buffer {
  const rdn = (id: string, values: readonly string[]): Buffer =>
    set(...values.map((value) => sequence(oid(id), utf8String(value))).sort((a, b) => a.compare(b)));
  return sequence(
    ...repeated.flatMap(([hex, id]) => (subject.has(hex) ? [rdn(id, subject.get(hex)!)] : [])),
    ...single.flatMap(([hex, id]) => {
      const value = subject.get(hex)?.at(-1) ?? '';
      return value === '' ? [] : [rdn(id, [value])];
    }),
  );
}

/** @param critical where the subject says nothing */
function namesExtension(names: RequestNames, critical: boolean): Buffer[] {
  const all = [
    ...names.dnsNames.map((name) => implicit(2, Buffer.from(name))),
    ...names.emailAddresses.map((name) => implicit(1, Buffer.from(name))),
    ...names.ipAddresses.map((address) => implicit(7, address)),
    ...names.uris.map((uri) => implicit(6, Buffer.from(uri))),
  ];
  return all.length === 0 ? [] : [extension('2.5.29.17', sequence(...all), critical)];
}
