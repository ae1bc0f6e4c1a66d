/** A certificate and its key, from files that are reloaded while the server runs. */
import tls from 'node:tls';
import { isPair } from '../base/key-pair.ts';
import { fixedText, type ReloadableFiles } from '../base/reloadable-file.ts';
import type { KeyPair } from '../pki/pki.ts';
import type { ServingPair } from '../server/tls/certificate-reload.ts';
import { readFlagFile } from './read-file.ts';
import { UserError } from './user-error.ts';

/** A flag, and the file that it names. */
type FlagFile = readonly [flag: string, path: string];

/** Undefined where one of the files is not named. */
export async function watchFlagPair(
  files: ReloadableFiles,
  [certificateFlag, certificatePath]: readonly [flag: string, path: string | undefined],
  [keyFlag, keyPath]: readonly [flag: string, path: string | undefined],
): Promise<ServingPair | undefined> {
  if (certificatePath === undefined || keyPath === undefined) return undefined;
  return watchPairFiles(files, [
    [certificateFlag, certificatePath],
    [keyFlag, keyPath],
  ]);
}

/** @param mismatch begins what is said of files that are no pair */
export async function watchPairFiles(
  files: ReloadableFiles,
  [certificate, key]: readonly [FlagFile, FlagFile],
  mismatch?: string,
): Promise<ServingPair> {
  // One after the other, so that of two missing files it is always the same one that is named.
  for (const [flag, path] of [certificate, key]) await readFlagFile(flag, path);
  const paths = [certificate[1], key[1]];
  const [certificateText, keyText] = await files.watchTogether(paths, ([pem = '', keyPem = '']) =>
    checkPair([...certificate, pem], [...key, keyPem], mismatch),
  );
  return { certificate: certificateText!, key: keyText! };
}

/** A flag, the file that it names, and what that contains. */
type FlagContent = readonly [flag: string, path: string, content: string];

/** Throws for what no TLS connection can be made with. How strong keys have to be is decided where they are used. */
export function checkPair(
  [flag, path, certificate]: FlagContent,
  [keyFlag, keyPath, key]: FlagContent,
  mismatch = `--${flag} and --${keyFlag} do not belong together`,
): void {
  if (!isPair(certificate, key)) throw new UserError(`${mismatch}, or cannot be read as PEM: ${path}, ${keyPath}`);
  try {
    // The whole chain.
    tls.createSecureContext({ cert: certificate, key, ciphers: `${tls.DEFAULT_CIPHERS}:@SECLEVEL=0` });
  } catch (error) {
    throw new UserError(`--${flag}: ${path}: ${(error as Error).message}`, { cause: error });
  }
}

export const fixedPair = ({ certificate, key }: KeyPair): ServingPair => ({
  certificate: fixedText(certificate),
  key: fixedText(key),
});
