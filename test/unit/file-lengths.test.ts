/** How long files may be, and the reason that a longer one gives (CONTRIBUTING.md, "Small pieces"). */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const maxLines = 500;
/** A longer file says in its header why it is one file. */
const maxLinesWithoutReason = 350;

const root = path.resolve(import.meta.dirname, '../..');
const foldersOfCode = ['src', 'test', 'bench', 'hack', 'bin'];

const linesOf = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

/** A line of the comment that the file begins with; in `proto/` it stands before `syntax`. */
function hasReason(text: string): boolean {
  const [header = ''] = /^(?:#!.*\n)?(?:\/\*\*[\s\S]*?\*\/|(?:(?:\/\/|#).*\n)+)/.exec(text) ?? [];
  return /^(?: \*|\/\*\*|\/\/|#) One file because \S+ .*\.(?: \*\/)?$/m.test(header);
}

function problemOf(text: string, most = maxLines): string | undefined {
  const lines = linesOf(text);
  if (lines > most) return `${lines} lines, at most ${most} are allowed`;
  if (lines > maxLinesWithoutReason && !hasReason(text)) return `${lines} lines without a reason in the header`;
  return undefined;
}

const filesBelow = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));

const isScript = (file: string): boolean =>
  path.extname(file) === '' && readFileSync(path.join(root, file), 'utf8').startsWith('#!');

const isCode = (file: string): boolean =>
  !/^src\/.*\bgen\//.test(file) && (/\.(ts|js|mjs|sh)$/.test(file) || isScript(file));

const problemsOf = (files: readonly string[], most?: number): string[] =>
  files.flatMap((file) => {
    const problem = problemOf(readFileSync(path.join(root, file), 'utf8'), most);
    return problem === undefined ? [] : [`${file}: ${problem}`];
  });

describe('the length of a file', () => {
  const long = (lines: number, header = ''): string => header + 'x\n'.repeat(lines - header.split('\n').length + 1);
  const reason = 'One file because its parts share their state.';

  test.each([
    { name: 'is right up to 350 lines', text: long(350), problem: undefined },
    { name: 'needs a reason from 351 lines on', text: long(351), problem: '351 lines without a reason in the header' },
    {
      name: 'counts a last line without its end',
      text: long(350) + 'x',
      problem: '351 lines without a reason in the header',
    },
    { name: 'may be 500 lines with a reason', text: long(500, `/**\n * A parser.\n * ${reason}\n */\n`) },
    { name: 'may have its reason in a header of one line', text: long(400, `/** ${reason} */\n`) },
    { name: 'may have its reason after the interpreter of a script', text: long(400, `#!/bin/sh\n# ${reason}\n`) },
    {
      name: 'is too much from 501 lines on, with a reason too',
      text: long(501, `/** ${reason} */\n`),
      problem: '501 lines, at most 500 are allowed',
    },
    {
      name: 'needs its reason in the header, not below it',
      text: long(400, `/** A parser. */\nx\n/** ${reason} */\n`),
      problem: '400 lines without a reason in the header',
    },
    {
      name: 'needs a reason that says something',
      text: long(400, '/** One file because. */\n'),
      problem: '400 lines without a reason in the header',
    },
  ])('The length of a file: $name', ({ text, problem }) => expect(problemOf(text)).toBe(problem));
});

test('No file of code that is not generated has more than 500 lines, or more than 350 without a reason', () => {
  const files = [
    ...foldersOfCode.flatMap(filesBelow),
    ...readdirSync(root).filter((name) => /\.(ts|js|mjs)$/.test(name)),
  ].filter(isCode);
  expect(files.length).toBeGreaterThan(1500);
  expect(problemsOf(files)).toEqual([]);
});

test('A schema of more than 350 lines says why it is one file', () => {
  const files = filesBelow('proto');
  expect(files.length).toBeGreaterThan(50);
  expect(problemsOf(files, Infinity)).toEqual([]);
});
