import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger } from './logger.ts';
import { createPrivateFile, makePrivate } from './private-files.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'orch-private-'));
});
afterEach(() => rm(directory, { recursive: true }));

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o7777).toString(8);

describe('what is made private', () => {
  const logging = () => {
    const lines: [object, string][] = [];
    return {
      lines,
      log: { ...silentLogger, warn: (details: object, message: string) => void lines.push([details, message]) },
    };
  };

  test.each([
    { name: 'a file that all can read', kind: 'file', before: 0o644, mode: 0o600, after: '600', told: '0644' },
    { name: 'a file that a group can write', kind: 'file', before: 0o660, mode: 0o600, after: '600', told: '0660' },
    {
      name: 'a directory that all can enter',
      kind: 'directory',
      before: 0o755,
      mode: 0o700,
      after: '700',
      told: '0755',
    },
    {
      name: 'a directory whose group is inherited',
      kind: 'directory',
      before: 0o2775,
      mode: 0o700,
      after: '2700',
      told: '0775',
    },
    {
      name: 'a file that its owner cannot read',
      kind: 'file',
      before: 0o000,
      mode: 0o600,
      after: '600',
      told: undefined,
    },
    { name: 'a file that is private', kind: 'file', before: 0o600, mode: 0o600, after: '600', told: undefined },
  ])('What is made private is for its owner only: $name', async ({ kind, before, mode, after, told }) => {
    const path = join(directory, 'it');
    await (kind === 'file' ? writeFile(path, 'x') : mkdir(path));
    await chmod(path, before);
    const { lines, log } = logging();
    await makePrivate(path, mode, log);
    expect(await modeOf(path)).toBe(after);
    expect(lines).toEqual(
      told === undefined
        ? []
        : [
            [
              { path, before: told, now: `0${mode.toString(8)}` },
              'the permissions let other users of this machine in, and were narrowed',
            ],
          ],
    );
  });

  test('What is made private need not be there', async () => {
    const { lines, log } = logging();
    await makePrivate(join(directory, 'absent'), 0o600, log);
    expect(lines).toEqual([]);
  });

  test('What is made private is told of where its permissions cannot be looked at', async () => {
    const { lines, log } = logging();
    const path = join(directory, 'loop');
    await symlink(path, path);
    await makePrivate(path, 0o600, log);
    expect(lines).toMatchObject([[{ path, err: { code: 'ELOOP' } }, 'the permissions of this could not be looked at']]);
  });

  test('What is made private is told of where it belongs to the system', async () => {
    const { lines, log } = logging();
    await makePrivate('/proc/self/status', 0o600, log);
    expect(lines).toMatchObject([
      [
        { path: '/proc/self/status', mode: '0444' },
        'other users of this machine may read this, and the permissions cannot be narrowed',
      ],
    ]);
  });
});

test.each([0o000, 0o022, 0o777])(
  'A file is made for its owner only at umask %o, and stays as it is when it is there',
  async (mask) => {
    const before = process.umask(mask);
    onTestFinished(() => void process.umask(before));
    const path = join(directory, 'it');
    await createPrivateFile(path);
    expect(await modeOf(path)).toBe('600');
    await writeFile(path, 'x');
    await createPrivateFile(path);
    expect((await stat(path)).size).toBe(1);
  },
);
