import { X509Certificate } from 'node:crypto';
import { goQuote } from '../machinery/go-quote.ts';
import { DerError, readDer } from './der-reader.ts';
import { readPem } from './pem.ts';

/** What is wrong with a PEM text that should hold certificates and nothing else; undefined when nothing is. */
export function certificateChainProblem(pem: string): string | undefined {
  const blocks = readPem(pem);
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block';
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${goQuote(type)}`;
    if (hasHeaders) return 'no PEM block headers are permitted';
    if (bytes.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates';
    if (!isCertificates(bytes)) return 'x509: malformed certificate';
  }
  return undefined;
}

function isCertificates(bytes: Buffer): boolean {
  try {
    for (const { whole } of readDer(bytes)) new X509Certificate(whole);
    return true;
  } catch (error) {
    if (error instanceof DerError || error instanceof Error) return false;
    throw error;
  }
}

/**
 * What is wrong with a PEM text from which trusted certificates are read: one good one will do. Undefined when nothing
 * is.
 */
export function trustedCertificatesProblem(pem: string): string | undefined {
  const blocks = readPem(pem);
  const certificates = blocks.filter(({ type, hasHeaders }) => type === 'CERTIFICATE' && !hasHeaders);
  if (certificates.some(({ bytes }) => bytes.length > 0 && isCertificates(bytes))) return undefined;
  if (blocks.length === 0) return 'unable to parse bytes as PEM block';
  return certificates.length === 0
    ? 'no valid certificate authority data seen'
    : 'failed to parse certificate: x509: malformed certificate';
}

/** What keeps the bytes of a PEM block from being a trust anchor. Undefined when nothing does. */
export function trustAnchorProblem(bytes: Buffer): string | undefined {
  try {
    return new X509Certificate(bytes).ca ? undefined : 'does not have the CA bit set';
  } catch {
    return 'does not parse as a certificate: x509: malformed certificate';
  }
}
