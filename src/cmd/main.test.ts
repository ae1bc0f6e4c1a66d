import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { orchVersion } from '../base/version.ts';
import { runCommand } from './testing/run-command.ts';
import { joined } from '../../test/support/patterns.ts';

async function run(argv: readonly string[], parts: Parameters<typeof runCommand>[1] = {}) {
  const command = runCommand(argv, parts);
  return { code: await command.exited, out: command.output(), err: command.errors() };
}

describe('orch', () => {
  test.each([{ argv: [] }, { argv: ['help'] }, { argv: ['--help'] }, { argv: ['-h'] }])(
    'orch: $argv lists the commands',
    async ({ argv }) => {
      const { code, out } = await run(argv);
      expect(code).toBe(0);
      for (const name of ['up', 'apiserver', 'convert', 'version', 'help'])
        expect(out).toMatch(new RegExp(`^  ${name} `, 'm'));
    },
  );

  test.each([
    {
      argv: ['help', 'up'],
      says: [
        'Usage: orch up [flags]',
        '--data-dir',
        '(default 127.0.0.1)',
        'Serving flags:',
        'Storage flags:',
        '--store-servers, --etcd-servers strings',
      ],
    },
    { argv: ['up', '--help'], says: ['Usage: orch up [flags]'] },
    { argv: ['apiserver', '-h', '--secure-port=1'], says: ['Usage: orch apiserver [flags]', '(default 0.0.0.0)'] },
    { argv: ['convert', '--help'], says: ['Usage: orch convert --to json|yaml|protobuf [FILE]'] },
  ])('orch $argv prints an explanation', async ({ argv, says }) => {
    const { code, out } = await run(argv);
    expect(code).toBe(0);
    for (const text of says) expect(out).toContain(text);
  });

  test('No line of the help is wider than the terminal but for names of flags', async () => {
    const lines = (await run(['help', 'apiserver'])).out.split('\n').filter((line) => !line.includes('--'));
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
  });

  test.each([
    { argv: ['--version'], out: `orch ${orchVersion}\nKubernetes v1.32.13+orch${orchVersion}\n` },
    { argv: ['version'], out: `orch ${orchVersion}\nKubernetes v1.32.13+orch${orchVersion}\n` },
    { argv: ['apiserver', '--version'], out: `Kubernetes v1.32.13+orch${orchVersion}\n` },
    { argv: ['up', '--version=true'], out: `Kubernetes v1.32.13+orch${orchVersion}\n` },
  ])('orch: $argv prints the version', async ({ argv, out }) => {
    expect(await run(argv)).toEqual({ code: 0, out, err: '' });
  });

  test('orch --version=raw prints all that is known of the build', async () => {
    expect((await run(['apiserver', '--version=raw'])).out).toMatch(
      joined(
        /^version\.Info\{Major:"1", Minor:"32", GitVersion:"v1\.32\.13\+orch[^"]*", GitCommit:"[^"]*", .*GoVersion:/,
        /"node\d[^"]*", Compiler:"node", Platform:"\w+\/\w+"\}\n$/,
      ),
    );
  });

  test('The version of orch is that of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(orchVersion).toBe(version);
  });

  test.each([
    { argv: ['upp'], err: 'Error: unknown command "upp" (did you mean up?)\nSee \'orch help\'.\n' },
    { argv: ['help', 'toString'], err: 'Error: unknown command "toString"\nSee \'orch help help\'.\n' },
    {
      argv: ['apiserver', '--secure-port=0', '--apiserver-count=0'],
      err:
        'Error: --secure-port 0 must be between 1 and 65535, inclusive. It cannot be turned off with 0\nError: ' +
        "--apiserver-count should be a positive number, but value '0' provided\nSee 'orch help apiserver'.\n",
    },
  ])('orch $argv is refused', async ({ argv, err }) => {
    expect(await run(argv)).toEqual({ code: 1, out: '', err });
  });
});

describe('orch convert', () => {
  const convertValue = (value: Uint8Array, to: string): Promise<Uint8Array> =>
    Promise.resolve(Buffer.from(`${to}:${Buffer.from(value).toString()}`));

  test.each([
    { name: 'standard input', argv: ['convert', '--to', 'yaml'] },
    { name: 'standard input by its name', argv: ['convert', '-', '--to=yaml'] },
  ])('orch convert reads $name', async ({ argv }) => {
    expect(await run(argv, { convertValue, stdin: 'value' })).toEqual({ code: 0, out: 'yaml:value', err: '' });
  });

  test('orch convert reads a file, and says which one is wrong and why', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'orch-convert-'));
    const file = join(directory, 'value');
    await writeFile(file, 'bytes');
    expect((await run(['convert', '--to=json', file], { convertValue })).out).toBe('json:bytes');
    const wrong = await run(['convert', '--to=json', file], {
      convertValue: () => Promise.reject(new Error('unknown kind')),
    });
    expect(wrong).toEqual({ code: 1, out: '', err: `Error: ${file}: unknown kind\n` });
    await rm(directory, { recursive: true });
  });

  test('orch convert prints protobuf as the bytes they are', async () => {
    const bytes = Uint8Array.of(0x6b, 0x38, 0x73, 0x00, 0xff);
    expect(
      Buffer.from(
        (await run(['convert', '--to=protobuf'], { convertValue: () => Promise.resolve(bytes) })).out,
        'latin1',
      ),
    ).toEqual(Buffer.from(bytes));
  });

  test.each([
    { argv: ['convert'], err: "Error: orch convert needs --to json, yaml or protobuf\nSee 'orch help convert'.\n" },
    {
      argv: ['convert', '--to=xml'],
      err:
        'Error: invalid argument "xml" for "--to" flag: must be one of json, yaml, protobuf\nSee ' +
        "'orch help convert'.\n",
    },
    {
      argv: ['convert', '--to=json', 'a', 'b'],
      err: 'Error: orch convert takes one file, got ["a","b"]\nSee \'orch help convert\'.\n',
    },
    { argv: ['convert', '--to=json', '/nope'], err: 'Error: open /nope: no such file or directory\n' },
  ])('orch $argv is refused', async ({ argv, err }) => {
    expect(await run(argv, { convertValue })).toEqual({ code: 1, out: '', err });
  });
});
