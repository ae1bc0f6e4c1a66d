import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { limitOpenFiles } from './open-files.ts';

test('A process may open as many files as it is told', async () => {
  const child = spawn('sleep', ['60']);
  onTestFinished(() => void child.kill());
  await limitOpenFiles({ most: 123, pid: child.pid!, log: silentLogger });
  expect(await readFile(`/proc/${child.pid}/limits`, 'utf8')).toMatch(/^Max open files +123 +123 /m);
});

test('A machine that does not let it says so once', async () => {
  const said: unknown[] = [];
  const log = { ...silentLogger, warn: (fields: unknown) => void said.push(fields) } as unknown as typeof silentLogger;
  await limitOpenFiles({ most: 123, pid: process.pid, log, program: '/none/prlimit' });
  expect(said).toEqual([{ maxOpenFiles: 123, reason: 'spawn /none/prlimit ENOENT' }]);
});
