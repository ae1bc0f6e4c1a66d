/** Certificates as OpenSSL makes them, right and wrong ones: a second opinion on what we read and refuse. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** PEM texts; `certificate` may have those of its issuers after its own. */
export interface OpensslPair {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateForm {
  /** `/O=devs/CN=jane` */
  readonly subject: string;
  readonly issuer?: OpensslPair;
  /** Negative: it has ended. */
  readonly days?: number;
  /** Lines of an OpenSSL extension section. */
  readonly extensions?: readonly string[];
}

export const clientUsage = 'extendedKeyUsage=clientAuth';
export const authorityExtensions = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign'];

export class Openssl implements AsyncDisposable {
  readonly #folder: string;
  #count = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(): Promise<Openssl> {
    return new Openssl(await mkdtemp(path.join(tmpdir(), 'orch-openssl-')));
  }

  /** Writes a text where flags can name it. */
  async file(name: string, text: string): Promise<string> {
    const file = path.join(this.#folder, name);
    await writeFile(file, text);
    return file;
  }

  authority(commonName: string, issuer?: OpensslPair): Promise<OpensslPair> {
    return this.issue({
      subject: `/CN=${commonName}`,
      extensions: authorityExtensions,
      ...(issuer === undefined ? {} : { issuer }),
    });
  }

  async issue({ subject, issuer, days = 2, extensions = [clientUsage] }: CertificateForm): Promise<OpensslPair> {
    const at = (name: string): string => path.join(this.#folder, `${this.#count}.${name}`);
    this.#count++;
    await writeFile(at('ext'), extensions.join('\n'));
    await run('openssl', [
      'req',
      '-new',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      subject,
      '-keyout',
      at('key'),
      '-out',
      at('csr'),
    ]);
    const sign = ['x509', '-req', '-in', at('csr'), '-days', String(days), '-extfile', at('ext'), '-out', at('crt')];
    if (issuer === undefined) await run('openssl', [...sign, '-signkey', at('key')]);
    else {
      await writeFile(at('ca.crt'), issuer.certificate);
      await writeFile(at('ca.key'), issuer.key);
      await run('openssl', [
        ...sign,
        '-CA',
        at('ca.crt'),
        '-CAkey',
        at('ca.key'),
        '-set_serial',
        String(1000 + this.#count),
      ]);
    }
    return { certificate: await readFile(at('crt'), 'utf8'), key: await readFile(at('key'), 'utf8') };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
