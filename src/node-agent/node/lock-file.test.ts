import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { isWaiting, lockFile } from './lock-file.ts';

async function fileToLock(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-lock-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return path.join(directory, 'lock');
}

test('A second agent waits until the first one releases the file, which sees it wait', async () => {
  const file = await fileToLock();
  const ended = new AbortController();
  const first = await lockFile(file);
  let isContended = false;
  const contended = first.contended(systemClock, ended.signal).then(() => (isContended = true));
  expect(isContended).toBe(false);
  const second = lockFile(file);
  await contended;
  first.release();
  (await second).release();
});

test('An agent that is to end does not wait for the file any more', async () => {
  const file = await fileToLock();
  const first = await lockFile(file);
  const ended = new AbortController();
  const second = lockFile(file, ended.signal);
  ended.abort();
  await expect(second).rejects.toThrow();
  first.release();
});

test.each([
  { name: 'a file that cannot be opened', file: '/none/lock', program: undefined, why: 'cannot open lock file' },
  { name: 'a machine without the program', file: '/tmp/x', program: '/none/flock', why: 'ENOENT' },
])('It is an error to lock $name', async ({ file, program, why }) => {
  await expect(lockFile(file, undefined, program)).rejects.toThrow(why);
});

test.each([
  { line: '1: FLOCK  ADVISORY  WRITE 10 08:01:123 0 EOF', waits: false },
  { line: '1: -> FLOCK  ADVISORY  WRITE 11 08:01:123 0 EOF', waits: true },
  { line: '1: -> FLOCK  ADVISORY  WRITE 11 08:01:1234 0 EOF', waits: false },
])('A process waits by "$line": $waits', ({ line, waits }) => {
  expect(isWaiting(`${line}\n`, 123)).toBe(waits);
});
