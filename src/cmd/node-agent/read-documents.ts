/**
 * The documents of configuration that flags name. What cannot be read is a `UserError` with its file and its reason.
 */
import { constants } from 'node:fs';
import { access, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describeFileError } from '../../base/file-error.ts';
import type { ConfigSource } from '../../node-agent/config/merge.ts';
import { readDocument } from '../../node-agent/config/document.ts';
import { type CredentialProvider, readProviderConfig } from '../../node-agent/images/credentials/provider-config.ts';
import { UserError } from '../user-error.ts';

export async function readConfigFile(flag: string, file: string): Promise<ConfigSource> {
  const text = await explained(flag, file, () => readFile(file, 'utf8'));
  const folder = path.dirname(path.resolve(file));
  try {
    return { file, members: readDocument(text, (other) => path.resolve(folder, other)) };
  } catch (error) {
    throw new UserError(`--${flag}: ${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** Files that end with `.conf`, those of a folder in order of their names; folders where their names stand. */
export async function readConfigFolder(flag: string, folder: string): Promise<ConfigSource[]> {
  const entries = await explained(flag, folder, () => readdir(folder, { withFileTypes: true }));
  const sources: ConfigSource[] = [];
  for (const entry of entries.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))) {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) sources.push(...(await readConfigFolder(flag, at)));
    else if (entry.name.endsWith('.conf')) sources.push(await readConfigFile(flag, at));
  }
  return sources;
}

export interface CredentialProviderFlags {
  readonly imageCredentialProviderConfig: string | undefined;
  readonly imageCredentialProviderBinDir: string | undefined;
}

/** The programs are there, as far as that can be told now. */
export async function readCredentialProviders(flags: CredentialProviderFlags): Promise<CredentialProvider[]> {
  const { imageCredentialProviderConfig: file, imageCredentialProviderBinDir: folder } = flags;
  if (file === undefined && folder === undefined) return [];
  if (file === undefined || folder === undefined)
    throw new UserError('--image-credential-provider-config and --image-credential-provider-bin-dir need each other');
  await explained('image-credential-provider-bin-dir', folder, () => readdir(folder));
  const text = await explained('image-credential-provider-config', file, () => readFile(file, 'utf8'));
  let providers: CredentialProvider[];
  try {
    providers = readProviderConfig(text, path.resolve(folder));
  } catch (error) {
    const { message } = error as Error;
    throw new UserError(`--image-credential-provider-config: ${file}: ${message}`, { cause: error });
  }
  for (const { program } of providers)
    await access(program, constants.X_OK).catch((error: unknown) => {
      const why = `plugin binary executable ${program} did not exist, or cannot be run`;
      throw new UserError(`--image-credential-provider-bin-dir: ${why}`, { cause: error });
    });
  return providers;
}

async function explained<T>(flag: string, file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new UserError(`--${flag}: open ${file}: ${describeFileError(error)}`, { cause: error });
  }
}
