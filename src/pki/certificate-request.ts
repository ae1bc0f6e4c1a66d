/**
 * Certificate requests in PKCS #10. @see {@link https://www.rfc-editor.org/rfc/rfc2986#section-4 | RFC 2986, section 4}
 */
import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { DerError, derTags, expectTag, readDer } from './der-reader.ts';
import { readPem } from './pem.ts';

interface Algorithm {
  /** Digest; null where the algorithm has its own. */
  readonly digest: string | null;
  readonly failure: string;
  readonly pss?: boolean;
}

const rsaFailure = 'crypto/rsa: verification error';
const rsa = (digest: string): Algorithm => ({ digest, failure: rsaFailure });
const ecdsa = (digest: string): Algorithm => ({ digest, failure: 'x509: ECDSA verification failure' });

/**
 * By object identifier, in hex. @see {@link https://www.rfc-editor.org/rfc/rfc5758#section-3.2 | RFC 5758}, {@link
 * https://www.rfc-editor.org/rfc/rfc4055#section-5 | RFC 4055}, {@link https://www.rfc-editor.org/rfc/rfc8410#section-3
 * | RFC 8410}
 */
const algorithms: Readonly<Record<string, Algorithm>> = {
  '2a864886f70d010105': rsa('sha1'),
  '2a864886f70d01010b': rsa('sha256'),
  '2a864886f70d01010c': rsa('sha384'),
  '2a864886f70d01010d': rsa('sha512'),
  '2a8648ce3d0401': ecdsa('sha1'),
  '2a8648ce3d040302': ecdsa('sha256'),
  '2a8648ce3d040303': ecdsa('sha384'),
  '2a8648ce3d040304': ecdsa('sha512'),
  '2b6570': { digest: null, failure: 'x509: Ed25519 verification failure' },
};

const pssIdentifier = '2a864886f70d01010a';
/** Digests that parameters of RSASSA-PSS name. */
const pssDigests: Readonly<Record<string, string>> = {
  '608648016503040201': 'sha256',
  '608648016503040202': 'sha384',
  '608648016503040203': 'sha512',
};

/** What is wrong with a PEM text that should hold a request signed with its own key; undefined when nothing is. */
export function certificateRequestProblem(pem: string): string | undefined {
  const [block] = readPem(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST';
  try {
    return signatureProblem(block.bytes);
  } catch (error) {
    if (error instanceof DerError) return error.message;
    throw error;
  }
}

function signatureProblem(der: Buffer): string | undefined {
  const [request, ...trailing] = readDer(der);
  if (trailing.length > 0) return 'asn1: syntax error: trailing data';
  const [info, algorithm, bits] = readDer(expectTag(request, derTags.sequence).content);
  const [, , publicKey] = readDer(expectTag(info, derTags.sequence).content);
  const key = readKey(expectTag(publicKey, derTags.sequence).whole);
  if (key === undefined) return 'x509: cannot verify signature: algorithm unimplemented';
  const known = algorithmOf(expectTag(algorithm, derTags.sequence).content);
  if (known === undefined) return 'x509: cannot verify signature: algorithm unimplemented';
  const signature = expectTag(bits, derTags.bitString).content.subarray(1);
  return isSigned(info!.whole, key, known, signature) ? undefined : known.failure;
}

function readKey(der: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

function algorithmOf(identifier: Buffer): Algorithm | undefined {
  const [oid, parameters] = readDer(identifier);
  const id = expectTag(oid, derTags.oid).content.toString('hex');
  if (id !== pssIdentifier) return algorithms[id];
  const digest = Object.entries(pssDigests).find(
    ([digestId]) => parameters?.content.toString('hex').includes(digestId) === true,
  )?.[1];
  return digest === undefined ? undefined : { digest, failure: rsaFailure, pss: true };
}

function isSigned(data: Buffer, key: KeyObject, { digest, pss }: Algorithm, signature: Buffer): boolean {
  try {
    return verify(
      digest,
      data,
      pss === true
        ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
        : key,
      signature,
    );
  } catch {
    // A key that does not fit the algorithm.
    return false;
  }
}
