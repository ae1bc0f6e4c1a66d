/** Exits with 0 when node_modules has the packages that package-lock.json asks for, in their versions. Used by hack/up and hack/test. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const packagesOf = (lockfile) => JSON.parse(readFileSync(fileURLToPath(new URL(`../../${lockfile}`, import.meta.url)), 'utf8')).packages;

function isInstalled() {
  const wanted = packagesOf('package-lock.json');
  let installed;
  try {
    installed = packagesOf('node_modules/.package-lock.json'); // npm's own record of what it installed
  } catch {
    return false;
  }
  // Optional ones may be for other platforms.
  return Object.entries(wanted).every(([path, { version, optional, devOptional, peer }]) => path === '' || optional || devOptional || peer || installed[path]?.version === version);
}

process.exitCode = isInstalled() ? 0 : 1;
