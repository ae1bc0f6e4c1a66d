/**
 * The PKI of a data directory: made on the first start, used again later. A certificate is made anew when it nears its
 * end, lacks a name that clients may use now, or does not fit its key or authority (a start that was cut short); the
 * authorities and the service account key stay, because others trust them.
 */
import { X509Certificate, createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivateFile } from './files.ts';
import { caSubject, createAdmin, createAuthority, createFrontProxyClient, createServiceAccountKey, createServing, frontProxyCaSubject, publicKeyToPem } from './pki.ts';
import type { KeyPair, Pki } from './pki.ts';
import type { ServingNames } from './serving-names.ts';
import type { Subject } from './certificate.ts';

/** A certificate is renewed at the first start within this time before its end. */
const renewalMs = 90 * 24 * 3_600_000;

export async function ensurePki(directory: string, names: ServingNames, now: Date): Promise<Pki> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const files = new PairFiles(directory, now);
  const [ca, frontProxyCa, serviceAccount] = await Promise.all([
    files.ensureAuthority('ca', caSubject),
    files.ensureAuthority('front-proxy-ca', frontProxyCaSubject),
    ensureServiceAccountKey(directory),
  ]);
  const [serving, admin, frontProxyClient] = await Promise.all([
    files.ensureCertificate('apiserver', ca, () => createServing(ca, names, now), (certificate) => coversNames(certificate, names)),
    files.ensureCertificate('admin', ca, () => createAdmin(ca, now)),
    files.ensureCertificate('front-proxy-client', frontProxyCa, () => createFrontProxyClient(frontProxyCa, now)),
  ]);
  return { ca, serving, admin, serviceAccount, frontProxyCa, frontProxyClient };
}

class PairFiles {
  readonly #directory: string;
  readonly #now: Date;

  constructor(directory: string, now: Date) {
    this.#directory = directory;
    this.#now = now;
  }

  async ensureAuthority(name: string, subject: Subject): Promise<KeyPair> {
    const [certificate, key] = await this.#read(name);
    if (certificate === undefined) return this.#write(name, createAuthority(subject, this.#now));
    if (key === undefined) throw new Error(`${this.#path(name, 'key')} is missing: put it back, or remove ${this.#directory} to make a new authority`);
    const pair = { certificate, key };
    if (!isPair(pair)) throw new Error(`${this.#path(name, 'crt')} and ${name}.key do not belong together: put the right ones back, or remove ${this.#directory} to make a new authority`);
    if (Date.parse(new X509Certificate(certificate).validTo) < this.#now.getTime()) {
      throw new Error(`${this.#path(name, 'crt')} has expired: remove ${this.#directory} to make a new authority`);
    }
    return pair;
  }

  async ensureCertificate(name: string, ca: KeyPair, create: () => KeyPair, fits: (certificate: X509Certificate) => boolean = () => true): Promise<KeyPair> {
    const [certificate, key] = await this.#read(name);
    const usable = certificate !== undefined && key !== undefined && this.#isUsable({ certificate, key }, ca, fits);
    return usable ? { certificate, key } : this.#write(name, create());
  }

  #isUsable(pair: KeyPair, ca: KeyPair, fits: (certificate: X509Certificate) => boolean): boolean {
    const certificate = readCertificate(pair.certificate);
    if (certificate === undefined || !isPair(pair) || !fits(certificate)) return false;
    return certificate.verify(createPublicKey(ca.key)) && Date.parse(certificate.validTo) - this.#now.getTime() > renewalMs;
  }

  #read(name: string): Promise<[string | undefined, string | undefined]> {
    return Promise.all([readIfThere(this.#path(name, 'crt')), readIfThere(this.#path(name, 'key'))]);
  }

  /** The key goes first: a certificate without its key would look like a lost one. */
  async #write(name: string, pair: KeyPair): Promise<KeyPair> {
    await writePrivateFile(this.#path(name, 'key'), pair.key);
    await writePrivateFile(this.#path(name, 'crt'), pair.certificate);
    return pair;
  }

  #path(name: string, extension: 'crt' | 'key'): string {
    return join(this.#directory, `${name}.${extension}`);
  }
}

async function ensureServiceAccountKey(directory: string): Promise<Pki['serviceAccount']> {
  const [privateKey, publicKey] = await Promise.all([readIfThere(join(directory, 'sa.key')), readIfThere(join(directory, 'sa.pub'))]);
  if (privateKey !== undefined && publicKey !== undefined) return { privateKey, publicKey };
  const made = privateKey === undefined ? createServiceAccountKey() : { privateKey, publicKey: publicKeyToPem(createPrivateKey(privateKey)) };
  await writePrivateFile(join(directory, 'sa.key'), made.privateKey);
  await writePrivateFile(join(directory, 'sa.pub'), made.publicKey);
  return made;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function isPair({ certificate, key }: KeyPair): boolean {
  try {
    return readCertificate(certificate)?.checkPrivateKey(createPrivateKey(key)) ?? false;
  } catch {
    return false;
  }
}

const coversNames = (certificate: X509Certificate, { dnsNames, ipAddresses }: ServingNames): boolean =>
  dnsNames.every((name) => certificate.checkHost(name) !== undefined) && ipAddresses.every((address) => certificate.checkIP(address) !== undefined);
