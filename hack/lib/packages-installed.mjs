/**
 * Exits with 0 when node_modules has the packages that package-lock.json asks for, in their versions. Used by hack/up
 * and hack/test.
 */
import { lstatSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const packagesOf = (lockfile) => JSON.parse(readFileSync(new URL(lockfile, root), 'utf8')).packages;

/**
 * A link was made by the developer, such as one folder for several worktrees: npm would replace its target.
 */
const isLink = () => lstatSync(new URL('node_modules', root), { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

function isInstalled() {
  const wanted = packagesOf('package-lock.json');
  let installed;
  try {
    installed = packagesOf('node_modules/.package-lock.json'); // npm's own record of what it installed
  } catch {
    return false;
  }
  // Optional ones may be for other platforms.
  return Object.entries(wanted).every(
    ([path, { version, optional, devOptional, peer }]) =>
      path === '' || optional || devOptional || peer || installed[path]?.version === version,
  );
}

process.exitCode = isLink() || isInstalled() ? 0 : 1;
