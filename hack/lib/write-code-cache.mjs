/**
 * Writes the compiled code of the scripts in dist/chunks, for bin/load-bundle.js. Control planes of the library and of
 * the program are started for it, all in this process, so that it has the functions that a start calls.
 */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeCacheFile, compile, loaded } from '../../bin/load-bundle.js';

const chunks = fileURLToPath(new URL('../../dist/chunks', import.meta.url));

async function startLibrary() {
  const { createControlPlane } = await import('../../dist/index.js');
  const controlPlane = await createControlPlane();
  await controlPlane.close();
}

/** `orch up` as users start it, whose processes are commands of this process. */
async function startProgram(dataDir) {
  const { dependencies, main } = await import('../../dist/orch.js');
  const stop = new AbortController();
  const run = (args, out) => main(args, contextOf(out));
  const contextOf = (out) => ({
    parts: {
      ...dependencies,
      startProcess: (args) => {
        const exited = run(args, () => undefined).then((code) => ({ code, signal: null }));
        return { exited, kill: () => stop.abort() };
      },
    },
    out,
    err: (text) => process.stderr.write(text),
    readStdin: () => Promise.resolve(Buffer.alloc(0)),
    width: 100,
    onSignal: (listener) => {
      const end = () => listener('SIGTERM');
      stop.signal.addEventListener('abort', end, { once: true });
      return () => stop.signal.removeEventListener('abort', end);
    },
    exit: () => undefined,
  });
  const args = ['up', `--data-dir=${dataDir}`, `--secure-port=${await freePort()}`, '--hollow-nodes=1'];
  const ended = run(args, (text) => {
    if (text.includes('Ready')) stop.abort();
  });
  if ((await ended) !== 0) throw new Error('orch up ended before it was ready');
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

const directory = mkdtempSync(path.join(tmpdir(), 'orch-build-'));
try {
  await startLibrary();
  await startProgram(directory);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
mkdirSync(path.dirname(codeCacheFile('')), { recursive: true });
for (const name of readdirSync(chunks).filter((file) => file.endsWith('.cjs'))) {
  const script = loaded.get(name)?.script ?? compile(name);
  const file = codeCacheFile(name);
  writeFileSync(`${file}.tmp`, script.createCachedData());
  renameSync(`${file}.tmp`, file);
}
process.exit();
