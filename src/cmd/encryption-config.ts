/** How values are encrypted in the store: the document that the options name, read and judged. */
import { readFile } from 'node:fs/promises';
import { type GateSettings, isGateOn } from '../api/feature-gates.ts';
import type { EncryptionConfig } from '../apiserver/config.ts';
import { checkEncryptionConfiguration } from '../storage/encryption/encryption.ts';
import type { ApiServerOptions } from './flags/api-server/table.ts';
import { readFlagFile } from './read-file.ts';
import { UserError } from './user-error.ts';

export async function readEncryptionConfig(
  { encryptionProviderConfig: path, encryptionProviderConfigAutomaticReload: reload }: ApiServerOptions['storage'],
  featureGates: GateSettings,
  reloadMs: number | undefined,
): Promise<EncryptionConfig | undefined> {
  if (path === undefined) return undefined;
  const text = (await readFlagFile('encryption-provider-config', path))!;
  try {
    checkEncryptionConfiguration(text, { reload, kmsV1: isGateOn('KMSv1', featureGates) });
  } catch (error) {
    throw new UserError(`--encryption-provider-config: ${path}: ${(error as Error).message}`, { cause: error });
  }
  return {
    text,
    file: path,
    ...(reload ? { reload: () => readFile(path, 'utf8') } : {}),
    ...(reloadMs === undefined ? {} : { reloadMs }),
  };
}
