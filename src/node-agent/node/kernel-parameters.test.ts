import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { kernelParameters, setParameters, wrongParameters } from './kernel-parameters.ts';

async function kernel(changes: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'orch-kernel-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [name, value] of kernelParameters) {
    const file = path.join(root, 'proc/sys', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, `${changes[name] ?? value}\n`);
  }
  return root;
}

test('Parameters that are as they have to be are left alone', async () => {
  expect(await wrongParameters(await kernel({}))).toEqual([]);
});

test('A parameter that is wrong is told, and set', async () => {
  const root = await kernel({ 'kernel/panic': '0' });
  expect(await wrongParameters(root)).toEqual([
    'invalid kernel flag: kernel/panic, expected value: 10, actual value: 0',
  ]);
  await setParameters(silentLogger, root);
  expect(await wrongParameters(root)).toEqual([]);
  expect(await readFile(`${root}/proc/sys/kernel/panic`, 'utf8')).toBe('10');
});
