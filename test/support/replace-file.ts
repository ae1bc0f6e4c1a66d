import { rename, writeFile } from 'node:fs/promises';

/** Atomically: a reader sees the old text or the new one, and never a part. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}
