import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { atomicWrite, type Payload } from './atomic-writer.ts';
import { checkHostPath } from './host-path/host-path.ts';
import { mountPoints, mountsBelow, mountTmpfs, unmount } from './mounts.ts';
import { configMapFiles, secretFiles } from './payload/payload.ts';
import { prepareSubPath } from './sub-path.ts';

async function folder(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-volume-'));
  onTestFinished(async () => {
    for (const point of await mountsBelow(directory)) await unmount(point);
    await rm(directory, { recursive: true });
  });
  return directory;
}

const payload = (files: Record<string, string>, mode = 0o644): Payload =>
  new Map(Object.entries(files).map(([name, text]) => [name, { data: Buffer.from(text), mode }]));

describe('Files that change all at once', () => {
  test('Visible names are links into a directory that a rename replaces', async () => {
    const volume = await folder();
    expect(await atomicWrite(volume, payload({ a: '1', 'sub/b': '2' }), { nowMs: 0 })).toBe(true);
    const first = await readlink(`${volume}/..data`);
    expect(first).toMatch(/^\.\.1970_01_01_00_00_00\.\d{9}$/);
    expect(await readlink(`${volume}/a`)).toBe('..data/a');
    expect(await readFile(`${volume}/sub/b`, 'utf8')).toBe('2');
    expect(await atomicWrite(volume, payload({ a: '3' }), { nowMs: 1000 })).toBe(true);
    expect(await readFile(`${volume}/a`, 'utf8')).toBe('3');
    expect((await readdir(volume)).sort()).toEqual([await readlink(`${volume}/..data`), '..data', 'a'].sort());
  });

  test('The same files are not written again', async () => {
    const volume = await folder();
    await atomicWrite(volume, payload({ a: '1' }), { nowMs: 0 });
    expect(await atomicWrite(volume, payload({ a: '1' }), { nowMs: 1000 })).toBe(false);
    expect(await atomicWrite(volume, payload({ a: '1' }, 0o600), { nowMs: 1000 })).toBe(true);
    expect((await stat(`${volume}/a`)).mode & 0o777).toBe(0o600);
  });

  test.skipIf(process.getuid?.() !== 0)(
    'A full disk leaves the files as they were, and nothing beside them',
    async () => {
      const volume = await folder();
      await mountTmpfs(volume, ['size=64k']);
      await atomicWrite(volume, payload({ a: '1' }), { nowMs: 0 });
      const large = payload({ a: 'x'.repeat(200_000), b: '2' });
      await expect(atomicWrite(volume, large, { nowMs: 1000 })).rejects.toThrow('ENOSPC');
      expect(await readFile(`${volume}/a`, 'utf8')).toBe('1');
      expect(await readdir(volume)).toHaveLength(3);
      expect(await atomicWrite(volume, payload({ a: '3' }), { nowMs: 2000 })).toBe(true);
    },
  );

  test.each(['../a', 'a/../../b', '/a', '..data', '..x/a', ''])(
    'A path that leaves the volume is refused: "%s"',
    async (name) => {
      const volume = await folder();
      await expect(atomicWrite(volume, payload({ [name]: '1' }), { nowMs: 0 })).rejects.toThrow('invalid path');
      expect(await readdir(volume)).toEqual([]);
    },
  );
});

describe('Keys of objects as files', () => {
  const map = { metadata: {}, data: { a: '1' }, binaryData: { b: 'aGk=' } } as never;
  const options = { defaultMode: 0o644, isOptional: false };
  test('All keys are files, or the chosen ones with their paths and modes', () => {
    const texts = configMapFiles(map, undefined, options).map(([name, { data }]) => [
      name,
      Buffer.from(data).toString(),
    ]);
    expect(texts).toEqual([
      ['a', '1'],
      ['b', 'hi'],
    ]);
    const chosen = configMapFiles(map, [{ key: 'a', path: 'x/y', mode: 0o400 }], options);
    expect(chosen).toMatchObject([['x/y', { mode: 0o400 }]]);
  });

  test('A key that is missing is told, or left out where it is optional', () => {
    const items = [{ key: 'none', path: 'x' }];
    expect(() => configMapFiles(map, items, options)).toThrow('configmap references non-existent config key: none');
    expect(() => secretFiles(undefined, items, options)).toThrow('references non-existent secret key: none');
    expect(configMapFiles(map, items, { ...options, isOptional: true })).toEqual([]);
  });
});

describe('Paths of the node', () => {
  test.each([
    { type: 'Directory', there: 'file', what: 'directory' },
    { type: 'File', there: 'directory', what: 'file' },
    { type: 'Socket', there: 'file', what: 'socket file' },
    { type: 'CharDevice', there: 'file', what: 'character device' },
    { type: 'File', there: 'nothing', what: 'file' },
  ])('A path that is no $what is refused where there is a $there', async ({ type, there, what }) => {
    const at = `${await folder()}/x`;
    if (there === 'file') await writeFile(at, '');
    if (there === 'directory') await mkdir(at);
    await expect(checkHostPath(at, type)).rejects.toThrow(`hostPath type check failed: ${at} is not a ${what}`);
  });

  test('A path that is missing is made where its type says so, and left alone where it has none', async () => {
    const directory = await folder();
    await checkHostPath(`${directory}/a/b`, 'DirectoryOrCreate');
    await checkHostPath(`${directory}/f`, 'FileOrCreate');
    await checkHostPath(`${directory}/none`, '');
    expect((await readdir(directory)).sort()).toEqual(['a', 'f']);
  });
});

test('Mount points with blanks are read from the table of mounts', () => {
  expect(mountPoints('1 2 0:3 / /a\\040b rw - tmpfs tmpfs rw\n')).toEqual([{ path: '/a b', type: 'tmpfs' }]);
});

describe('A part of a volume', () => {
  const request = (volumePath: string, subPath: string, target: string) => ({
    volumePath,
    subPath,
    target,
    volumeMount: 'v',
    container: 'main',
  });

  test.each([
    { subPath: '../x', message: "unable to provision SubPath `../x`: must not contain '..'" },
    { subPath: '/x', message: 'error SubPath `/x` must not be an absolute path' },
    { subPath: 'out', message: 'failed to prepare subPath for volumeMount "v" of container "main"' },
    { subPath: 'out/deeper', message: 'failed to prepare subPath for volumeMount "v" of container "main"' },
    { subPath: 'dangling/x', message: 'failed to prepare subPath for volumeMount "v" of container "main"' },
  ])('Nothing outside of a volume is mounted by the path $subPath', async ({ subPath, message }) => {
    const directory = await folder();
    await mkdir(`${directory}/outside`);
    await mkdir(`${directory}/volume`);
    await symlink('../outside', `${directory}/volume/out`);
    await symlink('../nothing', `${directory}/volume/dangling`);
    const done = prepareSubPath(request(`${directory}/volume`, subPath, `${directory}/target`));
    await expect(done).rejects.toThrow(message);
    expect(await readdir(`${directory}/outside`)).toEqual([]);
    expect(await readdir(directory)).not.toContain('nothing');
  });

  const isRoot = process.getuid?.() === 0;
  test.skipIf(!isRoot)('A part that is missing is made with the mode of the volume (mounting needs root)', async () => {
    const directory = await folder();
    await mkdir(`${directory}/volume`);
    await chmod(`${directory}/volume`, 0o777);
    const target = `${directory}/target/0`;
    expect(await prepareSubPath(request(`${directory}/volume`, 'a/b', target))).toBe(target);
    expect((await stat(`${directory}/volume/a/b`)).mode & 0o777).toBe(0o777);
    await writeFile(`${directory}/volume/a/b/file`, 'x');
    expect(await readFile(`${target}/file`, 'utf8')).toBe('x');
  });
});
