import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { buildOrch } from '../support/orch-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
beforeAll(buildOrch);

/** Prints what the process has parsed in place of using compiled code, and what it has loaded. */
const report = `
  const { loaded } = await import('./bin/load-bundle.js');
  const scripts = [...loaded].map(([name, { script }]) => [name, script.cachedDataRejected]);
  console.log(JSON.stringify({
    count: scripts.length,
    parsed: scripts.filter(([, isRejected]) => isRejected !== false).map(([name]) => name),
  }));
`;

/** What `bin/orch` does for a daemon. */
const startDaemon = `
  const { forgetSizes, tuneForDaemons } = await import('./bin/engine-flags.js');
  forgetSizes();
  tuneForDaemons();
  await import('./dist/orch.js');
`;

/** What `bin/orch` does for the API server of `orch up`. */
const startLocalServer = `
  const { forgetSizes, tuneForLocalServer } = await import('./bin/engine-flags.js');
  forgetSizes();
  tuneForLocalServer();
  await import('./dist/orch.js');
`;

interface Loaded {
  readonly count: number;
  readonly parsed: string[];
  /** What V8 says of flags that it does not know, among others. */
  readonly errors: string;
}

async function scriptsOf(code: string, ...nodeFlags: string[]): Promise<Loaded> {
  const args = [...nodeFlags, '--input-type=module', '--eval', `${code}\n${report}`];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return { ...(JSON.parse(stdout) as Pick<Loaded, 'count' | 'parsed'>), errors: stderr };
}

const startLibrary = `
  const { createControlPlane } = await import('./dist/index.js');
  await (await createControlPlane()).close();
`;

test.each([
  ['A control plane of the library', startLibrary],
  ['The program', `await import('./dist/orch.js');`],
  ['The client library', `await import('./dist/client.js');`],
  ['A daemon, which sets the engine before it loads its parts,', startDaemon],
  ['An API server beside daemons', startLocalServer],
  ['A daemon with a young generation of its own size', startDaemon, '--max-semi-space-size=1'],
])('%s starts from compiled code alone', async (_, code, ...nodeFlags) => {
  const { count, parsed, errors } = await scriptsOf(code, ...nodeFlags);
  expect(count).toBeGreaterThan(0);
  expect({ parsed, errors }).toEqual({ parsed: [], errors: '' });
});

test('A control plane starts with flags for V8 that compiled code is not made for', async () => {
  const { count, parsed } = await scriptsOf(startLibrary, '--max-semi-space-size=8');
  expect(parsed).toHaveLength(count);
});
