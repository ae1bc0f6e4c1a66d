import { type Logger, silentLogger } from '../../base/logger.ts';
import { makeDirectories } from '../../base/make-directories.ts';
import { makePrivate, privateFileMode } from '../../base/private-files.ts';
import { coversNames, ensureCertificate, pathOf } from './pair-files.ts';
import { createSelfSigned } from '../../pki/pki.ts';
import type { KeyPair } from '../../pki/pki.ts';
import type { ServingNames } from '../../pki/serving-names.ts';

export interface SelfSignedOptions {
  readonly directory: string;
  /** Of the files: `apiserver` for `apiserver.crt` and `apiserver.key`. */
  readonly pairName: string;
  readonly commonName: string;
  readonly names: ServingNames;
  readonly now: Date;
  readonly log?: Logger;
}

/** The files in `--cert-dir`, for a server that was given no certificate. */
export async function ensureSelfSigned({
  directory,
  pairName,
  commonName,
  names,
  now,
  log = silentLogger,
}: SelfSignedOptions): Promise<KeyPair> {
  await makeDirectories(directory);
  await makePrivate(pathOf({ directory, name: pairName }, 'key'), privateFileMode, log);
  return ensureCertificate({
    directory,
    name: pairName,
    now,
    create: () => createSelfSigned(commonName, names, now),
    fits: (certificate) => coversNames(certificate, names),
  });
}
