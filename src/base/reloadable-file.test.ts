import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ReloadableFiles } from './reloadable-file.ts';
import { silentLogger } from './logger.ts';

let directory: string;
let warnings: string[];
let files: ReloadableFiles;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'orch-live-'));
  warnings = [];
  files = new ReloadableFiles({
    log: { ...silentLogger, warn: (details) => warnings.push(String((details as { err: Error }).err.message)) },
  });
});
afterEach(async () => {
  await files.stop();
  await rm(directory, { recursive: true });
});

describe('WatchedFiles', () => {
  test('WatchedFiles gives the new text once it is there, behind symbolic links too', async () => {
    await writeFile(join(directory, 'one'), '1');
    await writeFile(join(directory, 'two'), '2');
    await symlink('one', join(directory, 'file'));
    const text = await files.watch(join(directory, 'file'));
    const seen: string[] = [];
    const stop = text.onChange(() => seen.push(text.get()));
    await files.look();
    await symlink('two', join(directory, 'next'));
    await rename(join(directory, 'next'), join(directory, 'file'));
    await files.look();
    stop();
    await writeFile(join(directory, 'two'), '3');
    await files.look();
    expect([seen, text.get()]).toEqual([['2'], '3']);
  });

  test('WatchedFiles keeps the text when the file is gone or wrong, and says a wrong one once', async () => {
    const path = join(directory, 'file');
    await writeFile(path, 'good');
    const text = await files.watch(path, async (content) => {
      await Promise.resolve();
      if (content === 'bad') throw new Error('bad content');
    });
    await writeFile(path, 'bad');
    await files.look();
    await files.look();
    expect([text.get(), warnings]).toEqual(['good', ['bad content']]);
    await rm(path);
    await files.look();
    expect(text.get()).toBe('good');
    await writeFile(path, 'better');
    await files.look();
    expect(text.get()).toBe('better');
  });

  test('A file that is wrong from the start is an error', async () => {
    await expect(files.watch(join(directory, 'nothing'))).rejects.toThrow('ENOENT');
    await writeFile(join(directory, 'file'), 'bad');
    await expect(files.watch(join(directory, 'file'), () => Promise.reject(new Error('bad content')))).rejects.toThrow(
      'bad content',
    );
  });
});
