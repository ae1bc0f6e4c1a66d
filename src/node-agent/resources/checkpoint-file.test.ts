import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CheckpointWriter, readCheckpoint } from './checkpoint-file.ts';

async function place(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-checkpoint-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return path.join(directory, 'state');
}

test('A checkpoint that is not there is none', async () => {
  expect(await readCheckpoint(await place())).toBeUndefined();
});

test('A checkpoint of more than 32 MiB is not read', async () => {
  const file = await place();
  await writeFile(file, '');
  await truncate(file, (32 << 20) + 1);
  await expect(readCheckpoint(file)).rejects.toThrow(`${file} is no checkpoint file`);
});

test('The newest text is on the disk when all saves are done, for the owner only', async () => {
  const file = await place();
  let text = '0';
  const writer = new CheckpointWriter(file, () => text);
  const saves = [1, 2, 3].map((number) => {
    text = String(number);
    return writer.save();
  });
  await Promise.all(saves);
  expect(await readFile(file, 'utf8')).toBe('3');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(path.dirname(file))).toEqual(['state']);
});

test('A save that fails is told, and the next one is written', async () => {
  const file = await place();
  let fails = true;
  const writer = new CheckpointWriter(file, () => {
    if (fails) throw new Error('no text');
    return 'text';
  });
  await expect(writer.save()).rejects.toThrow('no text');
  fails = false;
  await writer.save();
  expect(await readFile(file, 'utf8')).toBe('text');
});
