/** What the files of clients are made of. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';

export type Fields = Readonly<Record<string, unknown>>;

/** What is wrong with the content of a kubeconfig file. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

/** `NAME-data` in base64 wins over the file called `NAME`. */
export async function readPem(fields: Fields, name: string, folder: string): Promise<string | undefined> {
  const data = text(fields, `${name}-data`);
  if (data !== '') return Buffer.from(data, 'base64').toString();
  const file = text(fields, name);
  return file === '' ? undefined : readFile(path.resolve(folder, file), 'utf8');
}

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const text = (fields: Fields, name: string): string => {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
};
