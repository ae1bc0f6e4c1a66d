/** Runs the `main` of a TypeScript file of this project: it is bundled first, as the program is. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @param {string} entry path in the project
 * @param {string} name of the bundle, below `.cache`
 */
export async function runBundled(entry, name) {
  const outfile = path.join(root, '.cache', `${name}-${process.pid}.mjs`);
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  try {
    const { main } = await import(pathToFileURL(outfile).href);
    process.exitCode = await main(process.argv.slice(2), root);
  } finally {
    await rm(outfile, { force: true });
  }
}
