/** A certificate and its key, from files that are reloaded while the server runs. */
import { isPair } from '../base/key-pair.ts';
import { fixedText, type ReloadableFiles } from '../base/reloadable-file.ts';
import type { KeyPair } from '../pki/pki.ts';
import type { ServingPair } from '../server/tls/certificate-reload.ts';
import { watchFlagFile } from './read-file.ts';
import { UserError } from './user-error.ts';

/** A flag, and the file that it names. */
type FlagFile = readonly [flag: string, path: string | undefined];

export async function watchFlagPair(
  files: ReloadableFiles,
  [certificateFlag, certificatePath]: FlagFile,
  [keyFlag, keyPath]: FlagFile,
): Promise<ServingPair | undefined> {
  if (certificatePath === undefined || keyPath === undefined) return undefined;
  const certificate = await watchFlagFile(files, certificateFlag, certificatePath);
  const key = await watchFlagFile(files, keyFlag, keyPath);
  if (!isPair(certificate.get(), key.get()))
    throw new UserError(
      `--${certificateFlag} and --${keyFlag} do not belong together, or cannot be read as ` +
        `PEM: ${certificatePath}, ${keyPath}`,
    );
  return { certificate, key };
}

export const fixedPair = ({ certificate, key }: KeyPair): ServingPair => ({
  certificate: fixedText(certificate),
  key: fixedText(key),
});
