import { type Logger, silentLogger } from '../../base/logger.ts';
import { makeDirectories } from '../../base/make-directories.ts';
import { makePrivate, privateFileMode } from '../../base/private-files.ts';
import { coversNames, ensureCertificate, pathOf } from './pair-files.ts';
import { createSelfSigned } from '../../pki/pki.ts';
import type { KeyPair } from '../../pki/pki.ts';
import type { ServingNames } from '../../pki/serving-names.ts';

/** `apiserver.crt` and `apiserver.key` in `--cert-dir`, for a server that was given no certificate. */
export async function ensureSelfSigned(
  directory: string,
  commonName: string,
  names: ServingNames,
  now: Date,
  log: Logger = silentLogger,
): Promise<KeyPair> {
  await makeDirectories(directory);
  await makePrivate(pathOf({ directory, name: 'apiserver' }, 'key'), privateFileMode, log);
  return ensureCertificate({
    directory,
    name: 'apiserver',
    now,
    create: () => createSelfSigned(commonName, names, now),
    fits: (certificate) => coversNames(certificate, names),
  });
}
