/**
 * Files of a volume that change all at once: readers see the old ones or the new ones.
 *
 * The files lie in a directory named by its time, `..data` is a link to it, and each visible name is a link below
 * `..data`. A change makes a new directory and puts a new `..data` in place of the old one by a rename.
 * @see {@link https://kubernetes.io/docs/concepts/storage/volumes/#configmap | Volumes: configMap}
 */
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { undefinedWhenAbsent } from '../../base/undefined-when-absent.ts';

export interface PayloadFile {
  readonly data: Uint8Array;
  /** Permissions. */
  readonly mode: number;
  /** Owner; root when absent. */
  readonly uid?: number | undefined;
}

/** By path below the volume, without `..` and not absolute. */
export type Payload = ReadonlyMap<string, PayloadFile>;

const dataLink = '..data';

export interface AtomicWriteOptions {
  /** Milliseconds since 1970, for the name of the directory. */
  readonly nowMs: number;
  /** Owner group of files and directories, which may read what their mode lets it. */
  readonly group?: number | undefined;
}

/** @returns whether anything was changed */
export async function atomicWrite(directory: string, payload: Payload, options: AtomicWriteOptions): Promise<boolean> {
  for (const name of payload.keys()) checkPath(name);
  const before = await readlink(`${directory}/${dataLink}`).catch(undefinedWhenAbsent);
  const isSame = before !== undefined && isTimed(before) && (await isEqualTo(`${directory}/${before}`, payload));
  if (isSame) return false;
  const next = await freeName(directory, options.nowMs);
  try {
    await writeFiles(`${directory}/${next}`, payload, options);
  } catch (error) {
    // On a full disk the rest would take the space that the next try needs.
    await rm(`${directory}/${next}`, { recursive: true, force: true });
    throw error;
  }
  await rm(`${directory}/${dataLink}_tmp`, { force: true });
  await symlink(next, `${directory}/${dataLink}_tmp`);
  await rename(`${directory}/${dataLink}_tmp`, `${directory}/${dataLink}`);
  await linkNames(directory, payload);
  await removeOld(directory, next);
  return true;
}

/** A path that leaves the volume, or the names that are the writer's own. */
export function checkPath(name: string): void {
  const parts = name.split('/');
  if (name === '' || path.isAbsolute(name)) throw new Error(`invalid path: must be relative path: ${name}`);
  if (parts.includes('..')) throw new Error(`invalid path: must not contain '..': ${name}`);
  if (parts[0]!.startsWith('..')) throw new Error(`invalid path: must not start with '..': ${name}`);
}

async function freeName(directory: string, nowMs: number): Promise<string> {
  let name = timedName(nowMs);
  while ((await lstat(`${directory}/${name}`).catch(undefinedWhenAbsent)) !== undefined) name = timedName(++nowMs);
  return name;
}

async function writeFiles(root: string, payload: Payload, { group }: AtomicWriteOptions): Promise<void> {
  await mkdir(root);
  await chmod(root, 0o755);
  for (const [file, { data, mode, uid }] of payload) {
    const target = `${root}/${file}`;
    await mkdir(path.dirname(target), { recursive: true, mode: 0o755 });
    await writeFile(target, data, { flag: 'wx' });
    if (uid !== undefined || group !== undefined) await chown(target, uid ?? 0, group ?? 0);
    await chmod(target, group === undefined ? mode : mode | ((mode & 0o400) >> 3));
  }
}

/** `..2026_01_02_03_04_05.123456789` */
function timedName(nowMs: number): string {
  const [date, time] = new Date(nowMs).toISOString().slice(0, 19).split('T') as [string, string];
  const fraction = String(Math.floor(nowMs % 1000)).padStart(3, '0');
  const rest = String(Math.floor(Math.random() * 1e6)).padStart(6, '0');
  return `..${date.replaceAll('-', '_')}_${time.replaceAll(':', '_')}.${fraction}${rest}`;
}

const isTimed = (name: string): boolean => /^\.\.\d{4}_[\d_.]+$/.test(name);

async function isEqualTo(root: string, payload: Payload): Promise<boolean> {
  const found = await filesBelow(root, '').catch(undefinedWhenAbsent);
  if (found === undefined || found.length !== payload.size) return false;
  for (const name of found) {
    const file = payload.get(name);
    if (file === undefined) return false;
    if (Buffer.compare(await readFile(`${root}/${name}`), file.data) !== 0) return false;
    if (((await lstat(`${root}/${name}`)).mode & 0o777 & ~0o40) !== (file.mode & 0o777 & ~0o40)) return false;
  }
  return true;
}

async function filesBelow(root: string, below: string): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await readdir(`${root}/${below}`, { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) names.push(...(await filesBelow(root, name)));
    else names.push(name);
  }
  return names;
}

/** Each first part of a path is a link; links to what is gone are removed. */
async function linkNames(directory: string, payload: Payload): Promise<void> {
  const wanted = new Set([...payload.keys()].map((name) => name.split('/')[0]!));
  const present = (await readdir(directory)).filter((name) => !name.startsWith('..'));
  for (const name of wanted) if (!present.includes(name)) await symlink(`${dataLink}/${name}`, `${directory}/${name}`);
  for (const name of present) if (!wanted.has(name)) await rm(`${directory}/${name}`, { force: true, recursive: true });
}

async function removeOld(directory: string, current: string): Promise<void> {
  for (const name of await readdir(directory))
    if (isTimed(name) && name !== current) await rm(`${directory}/${name}`, { recursive: true, force: true });
}
