/**
 * `npm run bench`: the load driver. `npm run bench -- --help` says what it takes, docs/performance.md how to read it.
 *
 * The driver is TypeScript and uses the project's own codecs, so it is bundled first, as the program is.
 */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const outfile = path.join(root, '.cache', 'bench', `driver-${process.pid}.mjs`);

await build({
  absWorkingDir: root,
  entryPoints: ['bench/main.ts'],
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
