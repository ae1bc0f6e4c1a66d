/**
 * Loads what `hack/build.mjs` has put into dist/: scripts, and beside them the code that V8 has compiled of them.
 *
 * Node parses modules anew at each start, 3.4 MB of them for an API server: half of the time until it serves. With
 * compiled code there is nothing to parse. V8 uses it only when its version and its flags are the same; otherwise the
 * start takes longer.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { withUsualFlags } from './engine-flags.js';

const dist = new URL('../dist/', import.meta.url);

/** Compiled code is of one version of V8 and of one kind of machine. */
const machine = `${process.version}-${process.platform}-${process.arch}`;

/** Of a script in dist/chunks. */
export const codeCacheFile = (name) => fileURLToPath(new URL(`code-cache/${machine}/${name}.cache`, dist));

/** A function of `exports`, `require`, `module` and the script's URL, not yet called. */
export function compile(name) {
  const url = new URL(`chunks/${name}`, dist);
  const source = readFileSync(url, 'latin1');
  const cachedData = readCodeCache(name);
  return withUsualFlags(() => new vm.Script(source, { filename: url.href, cachedData }));
}

function readCodeCache(name) {
  try {
    return readFileSync(codeCacheFile(name));
  } catch (error) {
    // It was built by another version of Node.
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** By name: scripts that have run, and those that are just running. */
export const loaded = new Map();

/**
 * @param {string} name of a script in dist/chunks
 * @returns what the script exports
 */
export function load(name) {
  const before = loaded.get(name);
  if (before !== undefined) return before.module.exports;
  const script = compile(name);
  const module = { exports: {} };
  loaded.set(name, { script, module });
  const { href } = new URL(`chunks/${name}`, dist);
  const requirePackage = createRequire(href);
  const require = (id) => (id.startsWith('./') ? load(path.basename(id)) : requirePackage(id));
  script.runInThisContext().call(undefined, module.exports, require, module, href);
  return module.exports;
}
