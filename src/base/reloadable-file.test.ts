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

describe('ReloadableFiles', () => {
  test('ReloadableFiles gives the new text once it is there, behind symbolic links too', async () => {
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

  test('ReloadableFiles keeps the text when the file is gone or wrong, and says a wrong one once', async () => {
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

  test('Files that fit only each other change together, and stay while one of them does not fit', async () => {
    const paths = ['a', 'b'].map((name) => join(directory, name));
    const write = (...contents: string[]) => Promise.all(contents.map((content, i) => writeFile(paths[i]!, content)));
    await write('1', '1');
    const texts = await files.watchTogether(paths, ([a, b]) => {
      if (a !== b) throw new Error(`${a} does not fit ${b}`);
    });
    const seen: string[] = [];
    const shown = (): string => texts.map((text) => text.get()).join('+');
    for (const text of texts) text.onChange(() => seen.push(shown()));
    await write('2', '1');
    await files.look();
    await files.look();
    expect([shown(), seen, warnings]).toEqual(['1+1', [], ['2 does not fit 1']]);
    await write('2', '2');
    await files.look();
    expect([shown(), seen, warnings.length]).toEqual(['2+2', ['2+2', '2+2'], 1]);
  });

  test('A reader that fails on new content keeps no other reader from it', async () => {
    const path = join(directory, 'file');
    await writeFile(path, '1');
    const errors: unknown[] = [];
    const other = new ReloadableFiles({ log: { ...silentLogger, error: (_, message) => void errors.push(message) } });
    const text = await other.watch(path);
    let told = 0;
    text.onChange(() => {
      throw new Error('no');
    });
    text.onChange(() => told++);
    await writeFile(path, '2');
    await other.look();
    await other.stop();
    expect([told, errors]).toEqual([1, ['new content was not taken over']]);
  });

  test('ReloadableFiles counts what was taken and what was refused, each problem once', async () => {
    const [checked, unchecked] = ['a', 'b'].map((name) => join(directory, name));
    for (const path of [checked!, unchecked!]) await writeFile(path, 'good');
    await files.watch(checked!, (content) => {
      if (content === 'bad') throw new Error('bad content');
    });
    await files.watch(unchecked!);
    const counted = () =>
      [...files.reloads].map(({ file, status, count }) => `${file.slice(-1)} ${status} ${count}`).sort();
    for (const content of ['bad', 'better', 'bad', 'best']) {
      for (const path of [checked!, unchecked!]) await writeFile(path, content);
      await files.look();
      await files.look();
    }
    expect(counted()).toEqual(['a failure 2', 'a success 2']);
    await rm(unchecked!);
    await files.look();
    await files.look();
    expect(counted()).toEqual(['a failure 2', 'a success 2', 'b failure 1']);
  });

  test('A file that is wrong from the start is an error', async () => {
    await expect(files.watch(join(directory, 'nothing'))).rejects.toThrow('ENOENT');
    await writeFile(join(directory, 'file'), 'bad');
    await expect(files.watch(join(directory, 'file'), () => Promise.reject(new Error('bad content')))).rejects.toThrow(
      'bad content',
    );
  });
});
