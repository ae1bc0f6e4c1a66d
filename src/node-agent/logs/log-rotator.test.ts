import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { type LogLimits, LogRotator } from './log-rotator.ts';

/** A container whose runtime writes on into a new file. */
async function container(
  reopen: (file: string) => Promise<void> = (file) => writeFile(file, 'new\n'),
  limits: LogLimits = { maxBytes: 10, maxFiles: 3, workers: 1 },
) {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-logs-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = `${directory}/0.log`;
  const reopened: string[] = [];
  let second = 0;
  const rotator = new LogRotator({
    runtime: {
      reopenContainerLog: async ({ containerId = '' }) => {
        reopened.push(containerId);
        await reopen(file);
        return {};
      },
    },
    limits,
    nowMs: () => Date.UTC(2026, 0, 2, 3, 4, second++),
    log: silentLogger,
  });
  const look = () => rotator.look([{ containerId: 'c', path: file }]);
  return { directory, file, look, reopened, files: async () => (await readdir(directory)).sort() };
}

test('A log below the limit stays as it is', async () => {
  const { file, look, files, reopened } = await container();
  await writeFile(file, 'short\n');
  await look();
  expect({ files: await files(), reopened }).toEqual({ files: ['0.log'], reopened: [] });
});

test('Large logs are renamed, then compressed, and no more are kept than there may be', async () => {
  const { directory, file, look, files } = await container();
  const names: string[][] = [];
  for (let round = 0; round < 4; round++) {
    await writeFile(file, `text of round ${round}\n`);
    await look();
    names.push(await files());
  }
  expect(names).toEqual([
    ['0.log', '0.log.20260102-030400'],
    ['0.log', '0.log.20260102-030400.gz', '0.log.20260102-030401'],
    ['0.log', '0.log.20260102-030401.gz', '0.log.20260102-030402'],
    ['0.log', '0.log.20260102-030402.gz', '0.log.20260102-030403'],
  ]);
  const packed = await readFile(`${directory}/0.log.20260102-030402.gz`);
  expect(gunzipSync(packed).toString()).toBe('text of round 2\n');
});

test('A log keeps its name when the runtime cannot open a new one', async () => {
  const { file, look, files } = await container(() => Promise.reject(new Error('it does not answer')));
  await writeFile(file, 'a long line of text\n');
  await look();
  expect(await files()).toEqual(['0.log']);
});

test('A log that is gone is opened anew', async () => {
  const { look, files, reopened } = await container();
  await look();
  expect({ files: await files(), reopened }).toEqual({ files: ['0.log'], reopened: ['c'] });
});

test('What an agent left that ended while it compressed is removed', async () => {
  const { directory, file, look, files } = await container();
  await writeFile(`${directory}/0.log.20260101-000000.tmp`, 'half');
  await writeFile(file, 'a long line of text\n');
  await look();
  expect(await files()).toEqual(['0.log', '0.log.20260102-030400']);
});

test('A container that writes a gigabyte a minute keeps no more on the disk than since the last look', async () => {
  const limits = { maxBytes: 10 << 20, maxFiles: 5, workers: 1 };
  const { directory, file, look, files } = await container((path) => writeFile(path, ''), limits);
  const perLook = 170 << 20;
  await writeFile(file, '');
  let most = 0;
  for (let lookAt = 0; lookAt < 6; lookAt++) {
    await truncate(file, perLook);
    await look();
    const sizes = await Promise.all((await files()).map(async (name) => (await stat(`${directory}/${name}`)).size));
    most = Math.max(
      most,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  }
  // The newest is compressed with the next look.
  expect(most).toBeLessThan(perLook + (10 << 20));
  expect((await files()).length).toBeLessThanOrEqual(limits.maxFiles);
});
