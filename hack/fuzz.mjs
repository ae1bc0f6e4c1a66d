/**
 * `npm run fuzz -- TARGET SECONDS`: a fuzzer for as long as asked; without a target, what there is. CONTRIBUTING.md
 * says how a target is added and what becomes of what it finds.
 *
 * The targets are TypeScript and use the project's own readers, so they are bundled first, as the program is.
 */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const outfile = path.join(root, '.cache', 'fuzz', `fuzz-${process.pid}.mjs`);

await build({
  absWorkingDir: root,
  entryPoints: ['test/fuzz/main.ts'],
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
