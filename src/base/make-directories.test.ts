import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDirectories } from './make-directories.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'orch-directories-'));
  await writeFile(join(home, 'file'), '');
});
afterAll(() => rm(home, { recursive: true }));

test('Makes what is missing, and says what it began with', async () => {
  expect(await makeDirectories(join(home, 'a', 'b', 'c'), 0o700)).toBe(join(home, 'a'));
  expect((await stat(join(home, 'a', 'b', 'c'))).mode & 0o777).toBe(0o700);
  expect(await makeDirectories(join(home, 'a', 'b', 'c'))).toBeUndefined();
  expect(await makeDirectories(join(home, 'a', 'b', 'd'))).toBe(join(home, 'a', 'b', 'd'));
});

test('Directories may be made twice at a time', async () => {
  await Promise.all([makeDirectories(join(home, 'twice', 'x')), makeDirectories(join(home, 'twice', 'x'))]);
  expect((await stat(join(home, 'twice', 'x'))).isDirectory()).toBe(true);
});

test.each([
  { where: 'a file is', path: 'file', code: 'EEXIST' },
  { where: 'a file is above', path: 'file/x/y', code: 'ENOTDIR' },
])('Fails where $where', async ({ path, code }) => {
  await expect(makeDirectories(join(home, path))).rejects.toMatchObject({ code });
});

test.skipIf(process.platform !== 'linux')(
  'Fails where the system has no place for one (only Linux has /proc)',
  async () => {
    await expect(makeDirectories('/proc/orch/data')).rejects.toMatchObject({ code: 'ENOENT' });
  },
);
