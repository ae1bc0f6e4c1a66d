import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Makes a program of ours that plain `node` can run in a process of its own, and returns its path. It lies within the
 * checkout, so that it finds the packages it needs.
 */
export async function bundle(entry: URL): Promise<string> {
  const outfile = path.join(root, '.cache', 'test', `${path.basename(entry.pathname, '.ts')}-${process.pid}.mjs`);
  mkdirSync(path.dirname(outfile), { recursive: true });
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    target: 'node20',
    logLevel: 'error',
  });
  return outfile;
}
