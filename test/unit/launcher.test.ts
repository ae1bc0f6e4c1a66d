import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const bin = fileURLToPath(new URL('../../bin', import.meta.url));
const program = path.join(bin, 'orch.js');
const smallest = ['--max-semi-space-size=1', '--v8-pool-size=1'];
const small = ['--max-semi-space-size=4'];

/** Has a `node` that prints its arguments, a line each, and links to the launcher. */
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'orch-launcher-'));
  await writeFile(path.join(folder, 'node'), `#!/bin/sh\nprintf '%s\\n' "$@"\n`);
  await chmod(path.join(folder, 'node'), 0o755);
  for (const name of ['orch', 'kube-scheduler', 'kube-controller-manager'])
    await symlink(path.join(bin, 'orch'), path.join(folder, name));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function startedWith(launcher: string, ...args: readonly string[]): Promise<string[]> {
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  const { stdout } = await promisify(execFile)(launcher, args, { env });
  return stdout.trimEnd().split('\n');
}

describe('bin/orch', () => {
  test.each<{ name: string; launcher?: string; args: readonly string[]; starts: readonly string[] }>([
    { name: 'a daemon', args: ['scheduler', '--v=2'], starts: [...smallest, program, 'scheduler', '--v=2'] },
    { name: 'arguments with blanks', args: ['scheduler', 'a  b'], starts: [...smallest, program, 'scheduler', 'a  b'] },
    { name: 'a server', args: ['apiserver', '--v=2'], starts: [program, 'apiserver', '--v=2'] },
    { name: 'no command', args: [], starts: [program] },
    { name: 'a link', launcher: 'orch', args: ['node-agent'], starts: [...small, program, 'node-agent'] },
    {
      name: 'a link with the name of an original',
      launcher: 'kube-scheduler',
      args: ['--v=2'],
      starts: [...smallest, program, 'kube-scheduler', '--v=2'],
    },
  ])('The launcher starts Node with the flags of the command: $name', async ({ launcher, args, starts }) => {
    const file = launcher === undefined ? path.join(bin, 'orch') : path.join(folder, launcher);
    expect(await startedWith(file, ...args)).toEqual(starts);
  });

  test('The launcher has the same table as `orch up`', async () => {
    const flagsOf = `
      const { nodeFlags } = await import(process.argv[1]);
      console.log(JSON.stringify(process.argv.slice(2).map(nodeFlags)));
    `;
    const commands = [
      ...['up', 'apiserver', 'controller-manager', 'kube-controller-manager', 'scheduler', 'kube-scheduler'],
      ...['node-agent', 'convert', 'version', 'help'],
    ];
    const evaluate = ['--input-type=module', '--eval', flagsOf, path.join(bin, 'engine-flags.js'), ...commands];
    const { stdout } = await promisify(execFile)(process.execPath, evaluate);
    const launched = commands.map(async (command) => {
      const started = await startedWith(path.join(bin, 'orch'), command);
      return started.slice(0, started.indexOf(program));
    });
    expect(await Promise.all(launched)).toEqual(JSON.parse(stdout));
  });
});
