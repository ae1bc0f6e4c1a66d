/** Static pods of a file, or of all files of a folder. A file that is wrong is told, and does not touch the others. */
import { watch } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { undefinedWhenAbsent } from '../../../base/undefined-when-absent.ts';
import type { Logger } from '../../../base/logger.ts';
import { readPods, type StaticOrigin } from './read-pods.ts';

/** No pod is that large. */
const maxFileBytes = 10 << 20;

export async function readStaticFiles(
  place: string,
  origin: Omit<StaticOrigin, 'place' | 'source'>,
  log: Logger,
): Promise<readonly Pod[]> {
  // A path that is not there yet means no pods.
  const stats = await stat(place).catch(undefinedWhenAbsent);
  if (stats === undefined) return [];
  if (!stats.isDirectory()) return readFileOf(place, origin);
  const pods: Pod[] = [];
  for (const entry of (await readdir(place, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.isDirectory()) continue;
    const file = path.join(place, entry.name);
    try {
      pods.push(...(await readFileOf(file, origin)));
    } catch (error) {
      log.warn({ file, reason: (error as Error).message }, 'a file of static pods could not be used');
    }
  }
  return pods;
}

async function readFileOf(file: string, origin: Omit<StaticOrigin, 'place' | 'source'>): Promise<readonly Pod[]> {
  const stats = await stat(file).catch(undefinedWhenAbsent);
  if (stats === undefined || !stats.isFile()) return [];
  if (stats.size > maxFileBytes) throw new Error(`it is larger than ${maxFileBytes} bytes`);
  const text = await readFile(file, 'utf8');
  return text.trim() === '' ? [] : readPods(text, { ...origin, place: `file:${file}`, source: 'file' });
}

/** Where the kernel cannot tell of changes, they are seen with the next look. */
export function watchStaticFiles(place: string, onChange: () => void): () => void {
  try {
    const watcher = watch(place, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined;
  }
}
