/**
 * The PKI of a data directory: made on the first start, whole or not at all, and used again later. A certificate is
 * made anew when it nears its end, lacks a name that clients may use now, or does not fit its key or authority; the
 * authorities and the service account key stay, because others trust them.
 */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Logger, silentLogger } from '../../base/logger.ts';
import { makeDirectories } from '../../base/make-directories.ts';
import { makePrivate, privateDirectoryMode, privateFileMode } from '../../base/private-files.ts';
import { UserError } from '../user-error.ts';
import { writePrivateFile } from './files.ts';
import {
  coversNames,
  ensureCertificate,
  isPair,
  pathOf,
  readCertificate,
  readIfThere,
  readPair,
  writePair,
} from './pair-files.ts';
import {
  caSubject,
  createAdmin,
  createAuthority,
  createFrontProxyClient,
  createPki,
  createServiceAccountKey,
  createServing,
  frontProxyCaSubject,
  publicKeyToPem,
} from '../../pki/pki.ts';
import type { KeyPair, Pki } from '../../pki/pki.ts';
import type { ServingNames } from '../../pki/serving-names.ts';
import type { Subject } from '../../pki/certificate.ts';

/**
 * Throws {@link UserError} when an authority is incomplete or has expired.
 *
 * @param log told of keys that other users of the machine could read
 */
export async function ensurePki(
  directory: string,
  names: ServingNames,
  now: Date,
  log: Logger = silentLogger,
): Promise<Pki> {
  await makeDirectories(dirname(directory));
  const made = await createDirectory(directory, names, now);
  await makePrivate(directory, privateDirectoryMode, log);
  if (made !== undefined) return made;
  for (const name of [...Object.values(pairNames), 'sa'])
    await makePrivate(join(directory, `${name}.key`), privateFileMode, log);
  return readDirectory(directory, names, now);
}

/**
 * Writes a new PKI beside its place and moves it there: of two processes that start at once, one wins and the other
 * reads. Undefined when there is one.
 */
async function createDirectory(directory: string, names: ServingNames, now: Date): Promise<Pki | undefined> {
  if ((await readIfThere(join(directory, 'ca.crt'))) !== undefined) return undefined;
  const pki = createPki(names, now);
  const temporary = await mkdtemp(`${directory}.`);
  try {
    await chmod(temporary, privateDirectoryMode); // the umask may have taken rights from the owner
    await writePki(temporary, pki);
    await rename(temporary, directory);
    return pki;
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    if (isOccupied(error)) return undefined;
    throw error;
  }
}

const isOccupied = (error: unknown): boolean =>
  ['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '');

const pairNames = {
  ca: 'ca',
  serving: 'apiserver',
  admin: 'admin',
  frontProxyCa: 'front-proxy-ca',
  frontProxyClient: 'front-proxy-client',
} as const;

async function writePki(directory: string, pki: Pki): Promise<void> {
  const parts = Object.entries(pairNames) as [keyof typeof pairNames, string][];
  await Promise.all([
    ...parts.map(([part, name]) => writePair({ directory, name }, pki[part])),
    writeServiceAccountKey(directory, pki.serviceAccount),
  ]);
}

async function readDirectory(directory: string, names: ServingNames, now: Date): Promise<Pki> {
  const [ca, frontProxyCa, serviceAccount] = await Promise.all([
    ensureAuthority(directory, pairNames.ca, caSubject, now),
    ensureAuthority(directory, pairNames.frontProxyCa, frontProxyCaSubject, now),
    ensureServiceAccountKey(directory),
  ]);
  const issuedBy = (authority: KeyPair, name: string, create: () => KeyPair, served?: ServingNames): Promise<KeyPair> =>
    ensureCertificate({
      directory,
      name,
      now,
      create,
      fits: (certificate) =>
        certificate.verify(createPublicKey(authority.certificate)) &&
        (served === undefined || coversNames(certificate, served)),
    });
  const [serving, admin, frontProxyClient] = await Promise.all([
    issuedBy(ca, pairNames.serving, () => createServing(ca, names, now), names),
    issuedBy(ca, pairNames.admin, () => createAdmin(ca, now)),
    issuedBy(frontProxyCa, pairNames.frontProxyClient, () => createFrontProxyClient(frontProxyCa, now)),
  ]);
  return { ca, serving, admin, serviceAccount, frontProxyCa, frontProxyClient };
}

async function ensureAuthority(directory: string, name: string, subject: Subject, now: Date): Promise<KeyPair> {
  const file = { directory, name };
  const { certificate, key } = await readPair(file);
  const remedy = `or remove ${directory} to make a new authority`;
  if (certificate === undefined && key === undefined) return writePair(file, createAuthority(subject, now));
  if (certificate === undefined) throw new UserError(`${pathOf(file, 'crt')} is missing: put it back, ${remedy}`);
  if (key === undefined) throw new UserError(`${pathOf(file, 'key')} is missing: put it back, ${remedy}`);
  if (!isPair({ certificate, key }))
    throw new UserError(
      `${pathOf(file, 'crt')} and ${name}.key do not belong together: put the right ones back, ${remedy}`,
    );
  const { subject: own, validTo } = readCertificate(certificate)!;
  if (own !== `CN=${subject.commonName}`)
    throw new UserError(
      `${pathOf(file, 'crt')} is not an authority that orch made: give certificates of your own with ` +
        `--tls-cert-file and --client-ca-file, ${remedy}`,
    );
  if (Date.parse(validTo) < now.getTime())
    throw new UserError(`${pathOf(file, 'crt')} has expired: remove ${directory} to make a new authority`);
  return { certificate, key };
}

type ServiceAccountKey = Pki['serviceAccount'];

async function ensureServiceAccountKey(directory: string): Promise<ServiceAccountKey> {
  const [privateKey, publicKey] = await Promise.all([
    readIfThere(join(directory, 'sa.key')),
    readIfThere(join(directory, 'sa.pub')),
  ]);
  if (privateKey !== undefined && publicKey !== undefined) return { privateKey, publicKey };
  return writeServiceAccountKey(
    directory,
    privateKey === undefined
      ? createServiceAccountKey()
      : { privateKey, publicKey: publicKeyToPem(createPrivateKey(privateKey)) },
  );
}

async function writeServiceAccountKey(directory: string, key: ServiceAccountKey): Promise<ServiceAccountKey> {
  await Promise.all([
    writePrivateFile(join(directory, 'sa.key'), key.privateKey),
    writePrivateFile(join(directory, 'sa.pub'), key.publicKey),
  ]);
  return key;
}
