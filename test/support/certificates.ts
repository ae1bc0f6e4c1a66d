import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { caSubject, createAdmin, createAuthority, createServing } from '../../src/pki/pki.ts';

export interface TestCertificates extends AsyncDisposable {
  readonly caFile: string;
  readonly server: { readonly certFile: string; readonly keyFile: string };
  readonly client: { readonly certFile: string; readonly keyFile: string };
  /** Puts a new client certificate of the same authority, and its key, where the old ones lie. */
  renewClient(): Promise<void>;
}

/**
 * An authority, a server certificate for 127.0.0.1 and localhost, and a client certificate, in a folder of their own.
 */
export async function createTestCertificates(): Promise<TestCertificates> {
  const folder = await mkdtemp(path.join(tmpdir(), 'orch-pki-'));
  const now = new Date();
  const ca = createAuthority(caSubject, now);
  const write = async (name: string, pem: string): Promise<string> => {
    const file = path.join(folder, name);
    await writeFile(file, pem);
    return file;
  };
  const pair = async (name: string, { certificate, key }: { certificate: string; key: string }) => ({
    certFile: await write(`${name}.crt`, certificate),
    keyFile: await write(`${name}.key`, key),
  });
  return {
    caFile: await write('ca.crt', ca.certificate),
    server: await pair('server', createServing(ca, { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }, now)),
    client: await pair('client', createAdmin(ca, now)),
    renewClient: async () => void (await pair('client', createAdmin(ca, now))),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The certificate of an authority, PEM. */
export const testAuthority = (): string => createAuthority(caSubject, new Date()).certificate;
