import { chmod, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import type { RotationOptions } from './rotated-files.ts';
import { RotatingFile } from './rotating-file.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'orch-rotation-'));
});
afterEach(() => rm(directory, { recursive: true }));

const at = (name: string): string => path.join(directory, name);
const read = (name: string): Promise<string> => readFile(at(name), 'utf8');
const files = async (): Promise<string[]> => (await readdir(directory)).sort();

/** A file of ten bytes, with a clock that goes on by a second a look. */
function fileOf(options: Partial<RotationOptions> = {}, start = '2024-01-02T03:04:05.000Z'): RotatingFile {
  let now = Date.parse(start) - 1000;
  return new RotatingFile(
    { path: at('audit.log'), maxBytes: 10, maxAgeDays: 0, maxBackups: 0, compress: false, ...options },
    { log: silentLogger, now: () => new Date((now += 1000)) },
  );
}

async function appendAll(file: RotatingFile, ...lines: readonly (readonly string[])[]): Promise<void> {
  for (const some of lines) await file.append(some);
  await file.close();
}

describe('a log file', () => {
  test('An audit log file is made for its owner alone, with its folder', async () => {
    await appendAll(fileOf({ path: at('logs/audit.log') }), ['one\n']);
    expect((await stat(at('logs/audit.log'))).mode & 0o777).toBe(0o600);
  });

  test.each([0o000, 0o022, 0o777])(
    'A log file is for its owner alone at umask %o, and so is what is set aside',
    async (mask) => {
      const before = process.umask(mask);
      onTestFinished(() => void process.umask(before));
      await appendAll(fileOf({ compress: true }), ['one\n'], ['two\n'], ['three\n']);
      for (const name of await files()) expect((await stat(at(name))).mode & 0o777).toBe(0o600);
      expect(await files()).toEqual(['audit-2024-01-02T03-04-06.000.log.gz', 'audit.log']);
    },
  );

  test('An audit log file that others may read stays so when it is set aside, whatever the umask says', async () => {
    await writeFile(at('audit.log'), 'one\n');
    await chmod(at('audit.log'), 0o640);
    const before = process.umask(0o077);
    onTestFinished(() => void process.umask(before));
    await appendAll(fileOf({ compress: true }), ['two\n'], ['three\n']);
    expect(await Promise.all((await files()).map(async (name) => (await stat(at(name))).mode & 0o777))).toEqual([
      0o640, 0o640,
    ]);
  });

  test('An audit log file goes on where it ended', async () => {
    await appendAll(fileOf(), ['one\n']);
    await appendAll(fileOf(), ['two\n']);
    expect(await read('audit.log')).toBe('one\ntwo\n');
    expect(await files()).toEqual(['audit.log']);
  });

  test('An audit log file is set aside with the time in its name before it gets too large', async () => {
    await appendAll(fileOf(), ['one\n'], ['two\n'], ['three\n']);
    expect(await files()).toEqual(['audit-2024-01-02T03-04-06.000.log', 'audit.log']);
    expect(await read('audit-2024-01-02T03-04-06.000.log')).toBe('one\ntwo\n');
    expect(await read('audit.log')).toBe('three\n');
  });

  test('An audit log file has every line whole, however many come at once', async () => {
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i}\n`);
    await appendAll(fileOf({ maxBytes: 100 }), lines);
    const all = await Promise.all((await files()).map(async (name) => ({ name, text: await read(name) })));
    expect(all.length).toBeGreaterThan(3);
    expect(all.every(({ text }) => text.length <= 100 && text.endsWith('\n'))).toBe(true);
    const current = all.find(({ name }) => name === 'audit.log')!;
    expect([...all.filter((file) => file !== current), current].map(({ text }) => text).join('')).toBe(lines.join(''));
  });

  test('An audit log file that is full already is set aside at the first line, and its mode is kept', async () => {
    await writeFile(at('audit.log'), '0123456789');
    await chmod(at('audit.log'), 0o640);
    await appendAll(fileOf(), ['one\n']);
    expect(await files()).toEqual(['audit-2024-01-02T03-04-05.000.log', 'audit.log']);
    expect((await stat(at('audit.log'))).mode & 0o777).toBe(0o640);
  });

  test('An audit log file never takes the name of one that is there', async () => {
    const taken = ['audit-2024-01-02T03-04-06.000.log', 'audit-2024-01-02T03-04-06.001.log.gz'];
    for (const name of taken) await writeFile(at(name), 'old');
    await appendAll(fileOf(), ['one\n'], ['two\n'], ['three\n']);
    expect(await files()).toEqual([taken[0], taken[1], 'audit-2024-01-02T03-04-06.002.log', 'audit.log']);
    expect(await read(taken[0]!)).toBe('old');
  });
});

describe('files that were set aside', () => {
  const old = (name: string): Promise<void> => writeFile(at(name), name);

  test('Audit log files that were set aside are deleted when they are too many, the oldest first', async () => {
    const others = [
      'audit.txt',
      'audit-x.log',
      'other-2020-01-01T00-00-00.000.log',
      'audit-2020-01-01T00-00-00.000.txt',
    ];
    for (const name of [
      ...others,
      'audit-2021-01-01T00-00-00.000.log',
      'audit-2022-01-01T00-00-00.000.log',
      'audit-2023-01-01T00-00-00.000.log.gz',
    ])
      await old(name);
    await appendAll(fileOf({ maxBackups: 2 }), ['one\n'], ['two\n'], ['three\n']);
    expect(await files()).toEqual(
      [...others, 'audit-2023-01-01T00-00-00.000.log.gz', 'audit-2024-01-02T03-04-06.000.log', 'audit.log'].sort(),
    );
  });

  test('Audit log files that were set aside are deleted when they are too old by their names', async () => {
    for (const name of ['audit-2023-12-30T03-00-00.000.log', 'audit-2024-01-01T00-00-00.000.log.gz']) {
      await old(name);
      await utimes(at(name), new Date(), new Date());
    }
    await appendAll(fileOf({ maxAgeDays: 3 }), ['one\n']);
    expect(await files()).toEqual(['audit-2024-01-01T00-00-00.000.log.gz', 'audit.log']);
  });

  test('Audit log files that were set aside are compressed, also those that an earlier run left', async () => {
    await old('audit-2023-01-01T00-00-00.000.log');
    // Half of a compressed file, of a run that was killed.
    await writeFile(at('audit-2023-01-01T00-00-00.000.log.gz'), 'broken');
    await appendAll(fileOf({ compress: true }), ['one\n'], ['two\n'], ['three\n']);
    expect(await files()).toEqual([
      'audit-2023-01-01T00-00-00.000.log.gz',
      'audit-2024-01-02T03-04-06.000.log.gz',
      'audit.log',
    ]);
    expect(gunzipSync(await readFile(at('audit-2023-01-01T00-00-00.000.log.gz'))).toString()).toBe(
      'audit-2023-01-01T00-00-00.000.log',
    );
    expect(gunzipSync(await readFile(at('audit-2024-01-02T03-04-06.000.log.gz'))).toString()).toBe('one\ntwo\n');
  });
});
