/** Certificates with their keys as files `NAME.crt` and `NAME.key` of a directory. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPair as belongTogether } from '../../base/key-pair.ts';
import { writePrivateFile } from './files.ts';
import type { KeyPair } from '../../pki/pki.ts';
import type { ServingNames } from '../../pki/serving-names.ts';
import { undefinedWhenAbsent } from '../../base/undefined-when-absent.ts';

/** A certificate is renewed at the first start within this time before its end. */
const renewalMs = 90 * 24 * 3_600_000;

export interface PairFile {
  readonly directory: string;
  readonly name: string;
}

export interface CertificateFile extends PairFile {
  readonly now: Date;
  readonly create: () => KeyPair;
  /** Whether what is there still does what it is for. */
  readonly fits: (certificate: X509Certificate) => boolean;
}

/** What is there, if it is whole, fits, and does not end soon; else a new one. */
export async function ensureCertificate(file: CertificateFile): Promise<KeyPair> {
  const found = await readPair(file);
  return isUsable(found, file) ? found : writePair(file, file.create());
}

function isUsable(found: Partial<KeyPair>, { now, fits }: CertificateFile): found is KeyPair {
  const certificate = readCertificate(found.certificate);
  return (
    certificate !== undefined &&
    isPair(found) &&
    fits(certificate) &&
    Date.parse(certificate.validTo) - now.getTime() > renewalMs
  );
}

export async function readPair(file: PairFile): Promise<Partial<KeyPair>> {
  const [certificate, key] = await Promise.all([readIfThere(pathOf(file, 'crt')), readIfThere(pathOf(file, 'key'))]);
  return { ...(certificate === undefined ? {} : { certificate }), ...(key === undefined ? {} : { key }) };
}

/** Of a write that is cut short a pair remains that does not fit together; it is then made anew. */
export async function writePair(file: PairFile, pair: KeyPair): Promise<KeyPair> {
  await writePrivateFile(pathOf(file, 'key'), pair.key);
  await writePrivateFile(pathOf(file, 'crt'), pair.certificate);
  return pair;
}

export const pathOf = ({ directory, name }: PairFile, extension: 'crt' | 'key'): string =>
  join(directory, `${name}.${extension}`);

export async function readIfThere(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch(undefinedWhenAbsent);
}

/** The first certificate of a PEM text; undefined when there is none that can be read. */
export function readCertificate(pem: string | undefined): X509Certificate | undefined {
  try {
    return pem === undefined ? undefined : new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

/** Whether both are there and belong together. */
export const isPair = ({ certificate, key }: Partial<KeyPair>): boolean =>
  certificate !== undefined && key !== undefined && belongTogether(certificate, key);

export const coversNames = (certificate: X509Certificate, { dnsNames, ipAddresses }: ServingNames): boolean =>
  dnsNames.every((name) => certificate.checkHost(name) !== undefined) &&
  ipAddresses.every((address) => certificate.checkIP(address) !== undefined);
