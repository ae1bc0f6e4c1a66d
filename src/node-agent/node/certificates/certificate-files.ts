/**
 * The certificates of an agent in their folder: `kubelet-client-2026-01-02-03-04-05.pem`, certificate and key in one
 * file, and `kubelet-client-current.pem`, a link to the newest.
 */
import { createPrivateKey, randomUUID, X509Certificate } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { isPair } from '../../../base/key-pair.ts';
import { privateFileMode, setMode } from '../../../base/private-files.ts';
import { undefinedWhenAbsent } from '../../../base/undefined-when-absent.ts';
import type { KeyPair } from '../../../pki/pki.ts';

export type PairName = 'kubelet-client' | 'kubelet-server';

export class CertificateFiles {
  readonly #folder: string;
  readonly #name: PairName;

  constructor(folder: string, name: PairName) {
    this.#folder = folder;
    this.#name = name;
  }

  /** The link: what a kubeconfig names for certificate and key. */
  get currentPath(): string {
    return path.join(this.#folder, `${this.#name}-current.pem`);
  }

  /** The pair that the link leads to; undefined where there is none that can be used. */
  async current(): Promise<KeyPair | undefined> {
    const pem = await readFile(this.currentPath, 'utf8').catch(undefinedWhenAbsent);
    return pem === undefined ? undefined : pairIn(pem);
  }

  /** A stop at any moment leaves the link on a whole pair. */
  async save({ certificate, key }: KeyPair, now: Date): Promise<void> {
    const file = path.join(this.#folder, `${this.#name}-${stampOf(now)}.pem`);
    await mkdir(this.#folder, { recursive: true });
    await writeWhole(file, `${certificate.trimEnd()}\n${key}`);
    const link = `${this.currentPath}.${randomUUID()}.tmp`;
    await symlink(file, link);
    await rename(link, this.currentPath);
  }
}

/** The key of a request that may be answered after a restart of the agent: the same key, the same request. */
export class PendingKey {
  readonly #file: string;

  constructor(folder: string, name: PairName) {
    this.#file = path.join(folder, `${name}.key.tmp`);
  }

  /** @returns PEM; undefined where there is none that can be used */
  async read(): Promise<string | undefined> {
    const pem = await readFile(this.#file, 'utf8').catch(undefinedWhenAbsent);
    if (pem === undefined) return undefined;
    try {
      createPrivateKey(pem);
      return pem;
    } catch {
      return undefined;
    }
  }

  async write(pem: string): Promise<void> {
    await mkdir(path.dirname(this.#file), { recursive: true });
    await writeWhole(this.#file, pem);
  }

  async remove(): Promise<void> {
    await rm(this.#file, { force: true });
  }
}

function pairIn(pem: string): KeyPair | undefined {
  const blocks = pem.match(/-----BEGIN ([A-Z ]+)-----[^]*?-----END \1-----\n?/g) ?? [];
  const key = blocks.find((block) => / PRIVATE KEY-----/.test(block) || block.includes('BEGIN PRIVATE KEY'));
  const certificate = blocks.filter((block) => block.includes('BEGIN CERTIFICATE-----')).join('');
  if (key === undefined || certificate === '') return undefined;
  return isPair(certificate, key) ? { certificate, key } : undefined;
}

/** `2026-01-02-03-04-05` */
const stampOf = (now: Date): string => now.toISOString().slice(0, 19).replace(/[T:]/g, '-');

async function writeWhole(file: string, content: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(temporary, 'wx', privateFileMode);
    try {
      await setMode(handle, privateFileMode);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** When a certificate begins and ends to count, in milliseconds since 1970. */
export function lifeOf(certificate: string): { readonly from: number; readonly until: number } {
  const { validFrom, validTo } = new X509Certificate(certificate);
  return { from: Date.parse(validFrom), until: Date.parse(validTo) };
}
