import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { LogRotator } from './log-rotator.ts';

/** A container whose runtime writes on into a new file. */
async function container(reopen: (file: string) => Promise<void> = (file) => writeFile(file, 'new\n')) {
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
    limits: { maxBytes: 10, maxFiles: 3, workers: 1 },
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
