/**
 * The documents of configuration that flags name. What cannot be read is a `UserError` with its file and its reason.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describeFileError } from '../../base/file-error.ts';
import type { ConfigSource } from '../../node-agent/config/merge.ts';
import { readDocument } from '../../node-agent/config/document.ts';
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

async function explained<T>(flag: string, file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new UserError(`--${flag}: open ${file}: ${describeFileError(error)}`, { cause: error });
  }
}
