/**
 * The programs that tests run: where they lie, and how they get there. They go into one folder, `$ORCH_TOOLS` or
 * `.cache/tools` in the checkout; nothing is installed.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackDebianPackage } from './apt.mjs';

export const toolsFolder = process.env.ORCH_TOOLS ?? fileURLToPath(new URL('../../.cache/tools', import.meta.url));

/**
 * `version` is what an installed program must print to be used instead of a download. A kubectl with a suffix to its
 * version is a custom build, or a wrapper that starts another one. `more` are programs beside the binary. Tests that
 * need an optional tool are skipped without it.
 *
 * @type {Record<string, { binary: string, more?: string[], suite: string, packageName: string, versionArgs: string[],
 *   version: RegExp, isOptional?: boolean }>}
 */
const tools = {
  'etcd-3.4': {
    binary: 'etcd',
    suite: 'bookworm',
    packageName: 'etcd-server',
    versionArgs: ['--version'],
    version: /etcd Version: 3\.4\./,
  },
  'etcd-3.5': {
    binary: 'etcd',
    suite: 'trixie',
    packageName: 'etcd-server',
    versionArgs: ['--version'],
    version: /etcd Version: 3\.5\./,
  },
  'kubectl-1.20': {
    binary: 'kubectl',
    suite: 'bookworm',
    packageName: 'kubernetes-client',
    versionArgs: ['version', '--client'],
    version: /v1\.20\.\d+(?![-\w])/,
  },
  'kubectl-1.32': {
    binary: 'kubectl',
    suite: 'trixie',
    packageName: 'kubectl',
    versionArgs: ['version', '--client'],
    version: /v1\.32\.\d+(?![-\w])/,
  },
  prometheus: {
    binary: 'prometheus',
    more: ['promtool'],
    suite: 'bookworm',
    packageName: 'prometheus',
    versionArgs: ['--version'],
    version: /prometheus, version 2\./,
    isOptional: true,
  },
};

export const toolNames = Object.keys(tools);

/** @param {string} name */
export const isOptionalTool = (name) => tools[name]?.isOptional === true;

/**
 * The folder of an optional tool with its programs, or undefined where `getTool` has not provided it.
 *
 * @param {string} name
 * @returns {string | undefined}
 */
export function optionalToolFolder(name) {
  const file = placeOf(name);
  return existsSync(file) ? path.dirname(file) : undefined;
}

/**
 * The path of a tool that `getTool` has provided; throws with what to do when it is not there.
 *
 * @param {string} name
 * @returns {string}
 */
export function toolPath(name) {
  const file = placeOf(name);
  if (!existsSync(file)) throw new Error(`${name} is not in ${toolsFolder}: run ./hack/get-test-tools`);
  return file;
}

/**
 * Makes a tool available and returns its path: as it lies in the folder, else the one installed if its version fits,
 * else from Debian's archive.
 *
 * @param {string} name
 * @param {(message: string) => void} report
 * @returns {Promise<string>}
 */
export async function getTool(name, report) {
  const file = placeOf(name);
  if (existsSync(file)) return file;
  const installed = installedTool(name);
  const { suite, packageName, binary, more = [] } = tools[name];
  const programs = [binary, ...more];
  if (installed !== undefined) {
    report(`${name}: taking ${installed}`);
    await place(name, async (folder) => {
      for (const program of programs)
        await symlink(path.join(path.dirname(installed), program), path.join(folder, program));
    });
    return file;
  }
  report(`${name}: downloading ${packageName} of Debian ${suite}`);
  try {
    await place(name, async (folder) => {
      await unpackDebianPackage({ suite, packageName, folder });
      for (const program of programs) await rename(path.join(folder, 'usr/bin', program), path.join(folder, program));
      for (const rest of ['usr', 'etc', 'lib', 'var'])
        await rm(path.join(folder, rest), { recursive: true, force: true });
    });
  } catch (error) {
    throw new Error(
      `${name} cannot be had (${error.message}). Put a ${binary} of that version on the PATH, or at ${file}.`,
      { cause: error },
    );
  }
  return file;
}

function placeOf(name) {
  const tool = tools[name];
  if (tool === undefined) throw new Error(`unknown tool ${name}; there are ${toolNames.join(', ')}`);
  return path.join(toolsFolder, name, tool.binary);
}

/** Fills a folder aside and moves it into place as a whole, so that another process never sees half a tool. */
async function place(name, fill) {
  const target = path.join(toolsFolder, name);
  const aside = path.join(toolsFolder, `.${name}-${process.pid}`);
  await rm(aside, { recursive: true, force: true });
  await mkdir(aside, { recursive: true });
  try {
    await fill(aside);
    await rm(target, { recursive: true, force: true });
    await rename(aside, target);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/**
 * The path of an installed program of the version that the tests want, if there is one on the PATH.
 *
 * @param {string} name
 * @returns {string | undefined}
 */
export function installedTool(name) {
  const { binary, versionArgs, version } = tools[name];
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    const file = path.join(folder, binary);
    if (folder !== '' && existsSync(file) && version.test(outputOf(file, versionArgs))) return file;
  }
  return undefined;
}

function outputOf(file, args) {
  try {
    return execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: 10_000 });
  } catch {
    return '';
  }
}
