/**
 * Builds dist/: the program (dist/orch.js) and the libraries (dist/index.js, dist/client.js) are modules that load
 * scripts from dist/chunks, with the code that V8 has compiled of them (`bin/load-bundle.js`). Run by hack/up,
 * hack/test and `npm run build`; does nothing while no source has changed.
 *
 *   node hack/build.mjs [--force]
 *
 * Dependencies in plain JavaScript are bundled: finding and reading their many small files takes 90 ms at each start,
 * more than all else there is to load. Their licenses go into dist/licenses.txt.
 *
 * Each entry point is a bundle of its own. Code that entry points share would be split into a chunk for each set of
 * them: 27 files for the library instead of 6, and 20 ms more for its start. No process loads the same code twice,
 * except one that imports both libraries, which is still faster so.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { moduleOf, toScripts } from './lib/scripts.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = path.join(root, 'dist');
const program = path.join(dist, 'orch.js');
const chunks = path.join(dist, 'chunks');
const codeCache = path.join(dist, 'code-cache');
const stamp = path.join(root, '.cache', 'build.stamp');

const entryPoints = {
  orch: 'src/cmd/orch.ts',
  index: 'src/index.ts',
  client: 'src/client/index.ts',
  'large-requests': 'src/apiserver/large-requests/thread.ts',
};

const target = 'node20.19';

/** Native code, what starts threads from files of its own, and what is loaded only when it is needed. */
const external = ['lmdb', 'pino', 're2js'];

const isSource = (name) => name.endsWith('.ts') && !/\.(test|bench|test-d)\.ts$/.test(name);

/** Every file that the outcome depends on. */
const inputs = () => [
  'package-lock.json',
  'tsconfig.json',
  'hack/build.mjs',
  'hack/lib/scripts.mjs',
  'hack/lib/write-code-cache.mjs',
  'bin/engine-flags.js',
  'bin/load-bundle.js',
  ...readdirSync(path.join(root, 'src'), { recursive: true })
    .filter(isSource)
    .map((name) => path.join('src', name))
    .sort(),
];

/** Times and sizes are enough, and cheaper to ask for than contents. */
function fingerprint(commit) {
  const hash = createHash('sha256').update(`${commit.hash} ${process.version}`);
  for (const file of inputs()) {
    const { mtimeMs, size } = statSync(path.join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

/** What /version says of this build; empty outside of a git checkout. */
function currentCommit() {
  try {
    const [hash, date] = execFileSync('git', ['log', '-1', '--format=%H %cI'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .trim()
      .split(' ');
    return { hash, date: new Date(date).toISOString().replace(/\.\d+Z$/, 'Z') };
  } catch {
    return { hash: '', date: undefined };
  }
}

function isFresh(now) {
  try {
    return existsSync(program) && readFileSync(stamp, 'utf8') === now;
  } catch {
    return false;
  }
}

async function build(commit) {
  const { build: bundle } = await import('esbuild');
  const bundles = await Promise.all(
    Object.entries(entryPoints).map(([name, file]) => bundle(optionsOf({ [name]: file }, commit))),
  );
  const scripts = await toScripts(
    bundles.flatMap(({ outputFiles }) => outputFiles),
    target,
  );
  const modules = bundles.flatMap(({ metafile }) => entryModules(metafile));
  rmSync(codeCache, { recursive: true, force: true });
  mkdirSync(chunks, { recursive: true });
  // What is imported first: the program may be starting just now.
  for (const { path: file, contents } of [...scripts, ...modules]) {
    const temporary = `${file}.${process.pid}.tmp`;
    writeFileSync(temporary, contents);
    renameSync(temporary, file);
  }
  writeFileSync(
    path.join(dist, 'licenses.txt'),
    licensesOf(bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs))),
  );
  const kept = new Set(scripts.map((script) => script.path));
  for (const name of readdirSync(chunks))
    if (!kept.has(path.join(chunks, name))) rmSync(path.join(chunks, name), { force: true });
  writeCodeCache();
}

/** Without it the program works, and starts later. */
function writeCodeCache() {
  try {
    execFileSync(process.execPath, ['hack/lib/write-code-cache.mjs'], {
      cwd: root,
      encoding: 'utf8',
      stdio: 'pipe',
      timeout: 60_000,
    });
  } catch (error) {
    console.error(`Starts take longer, because no compiled code could be written: ${error.stderr || error.message}`);
  }
}

/** dist/NAME.js for each entry point. */
const entryModules = ({ outputs }) =>
  Object.entries(outputs)
    .filter(([, { entryPoint }]) => Object.values(entryPoints).includes(entryPoint))
    .map(([file, { entryPoint, exports }]) => {
      const [name] = Object.entries(entryPoints).find(([, source]) => source === entryPoint);
      return { path: path.join(dist, `${name}.js`), contents: moduleOf(path.basename(file), exports) };
    });

const optionsOf = (entryPoint, commit) => ({
  absWorkingDir: root,
  entryPoints: entryPoint,
  outdir: chunks,
  // A name stands for one text: compiled code is found by it.
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  // What is imported when it is needed.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target,
  external,
  sourcemap: 'inline',
  sourcesContent: false,
  define: {
    ORCH_BUILD_COMMIT: JSON.stringify(commit.hash),
    ...(commit.date === undefined ? {} : { ORCH_BUILD_DATE: JSON.stringify(commit.date) }),
  },
  logLevel: 'warning',
  metafile: true,
  write: false,
});

/** The license texts of the packages that are in the bundles. */
function licensesOf(bundled) {
  const folders = new Set(bundled.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []));
  return [...folders].sort().map(licenseOf).join('\n');
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
  const file = readdirSync(path.join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : readFileSync(path.join(root, folder, file), 'utf8');
  return `${'='.repeat(80)}\n${name} ${version} (${license})\n\n${text}`;
}

const commit = currentCommit();
const now = fingerprint(commit);
if (process.argv.includes('--force') || !isFresh(now)) {
  const start = performance.now();
  rmSync(stamp, { force: true });
  try {
    await build(commit);
    mkdirSync(path.dirname(stamp), { recursive: true });
    writeFileSync(stamp, now);
    console.error(`Built dist/ in ${Math.round(performance.now() - start)} ms.`);
  } catch (error) {
    // esbuild has printed what is wrong with the sources.
    if (!Array.isArray(error.errors)) throw error;
    process.exitCode = 1;
  }
}
