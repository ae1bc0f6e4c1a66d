import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
  'dependencies' | 'devDependencies',
  Record<string, string>
>;

test('The example in the README is the one that test/integration runs', () => {
  const [, example] = /```ts\n(.*?)```/s.exec(read('README.md')) ?? [];
  expect(example).toBe(read('test/integration/readme-example.test.ts').replace("'../../src/index.ts'", "'orch'"));
});

test('The Koa application in the README is the one that test/integration runs', () => {
  const [, example] = /## In a Koa application\n\n```ts\n(.*?)```/s.exec(read('README.md')) ?? [];
  expect(example).toBe(
    read('test/integration/koa-example.ts').replace("'../../src/index.ts'", "'orch'").replaceAll('export ', ''),
  );
});

test('The controller in the README is the one that test/integration runs, in at most 30 lines', () => {
  const [, example = ''] = /## A controller\n\n```ts\n(.*?)```/s.exec(read('README.md')) ?? [];
  expect(example).toBe(
    read('test/integration/client/controller-example.ts')
      .replace("'../../../src/client/index.ts'", "'orch/client'")
      .replaceAll('export ', ''),
  );
  expect(example.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
});

describe('docs/dependencies.md', () => {
  const [runtime = '', development = ''] = read('docs/dependencies.md').split('## For development');
  const listed = (text: string): string[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) => [...line.split(' | ')[0]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));

  test('docs/dependencies.md has every dependency and no other', () => {
    expect(listed(runtime).sort()).toEqual(Object.keys(dependencies).sort());
    expect(listed(development).sort()).toEqual(Object.keys(devDependencies).sort());
  });

  test('docs/dependencies.md answers each library of the design by name', () => {
    const [, answers = ''] = /\| named \| answer \|\n(.*?)\n\n/s.exec(runtime) ?? [];
    const named = answers
      .split('\n')
      .slice(1)
      .map((row) => row.split(' | ')[0]!.slice(2));
    expect(named.flatMap((names) => names.split(', ')).sort()).toEqual(
      [
        ...['koa', '@koa/router', 'etcd3', 'protobufjs', 'ajv', 'cel-js', 'jose', 'openid-client', 'cron-parser'],
        ...['pino', 'vitest', 'testcontainers'],
      ].sort(),
    );
  });
});

test('Every local link in the README leads somewhere', () => {
  const targets = [...read('README.md').matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target]) => target!);
  expect(targets.length).toBeGreaterThan(3);
  for (const target of targets) expect(() => read(target), target).not.toThrow();
});

test('The README installs the major versions of the client and of vitest that the tests use', () => {
  const [, line = ''] = /npm install --save-dev orch (.*)/.exec(read('README.md')) ?? [];
  const named = Object.fromEntries(line.split(' ').map((spec) => spec.split(/(?<=.)@/) as [string, string]));
  expect(Object.keys(named)).toEqual(['@kubernetes/client-node', 'vitest']);
  for (const [name, major] of Object.entries(named))
    expect(devDependencies[name]).toMatch(new RegExp(`^\\^${major}\\.`));
});

/** `docs/architecture.md` names files in short, relative to `src`. */
const withPaths = [
  'README.md',
  'CONTRIBUTING.md',
  ...['conformance', 'dependencies', 'performance', 'security'].map((name) => `docs/${name}.md`),
  ...readdirSync(new URL('../../docs/adr', import.meta.url)).map((name) => `docs/adr/${name}`),
];

test.each(withPaths)('Every path below src, test, bench, hack, docs and proto that %s names exists', (document) => {
  const paths = [...read(document).matchAll(/`((?:src|test|bench|hack|docs|proto)\/[^`*<\s]+)`/g)].map(
    ([, path]) => path!,
  );
  expect(paths.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([]);
});

test('Every guarantee in docs/security.md is stated once and names a test', () => {
  const rows = read('docs/security.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| guarantee |'));
  expect(rows.length).toBeGreaterThan(80);
  expect(new Set(rows.map((row) => row.split(' | ')[0])).size).toBe(rows.length);
  expect(rows.filter((row) => !/`(?:src|test)\/\S+\.test\.ts`/.test(row.slice(0, -1).split(' | ').at(-1)!))).toEqual(
    [],
  );
});

/** Lines of a folder, or of the files in it alone for `folder/*.ts`; without tests and generated code. */
function linesOf(pattern: string): number {
  const [folder, files] = pattern.endsWith('/*.ts') ? [pattern.slice(0, -5), true] : [pattern, false];
  return (readdirSync(new URL(`../../${folder}`, import.meta.url), { recursive: !files }) as string[])
    .filter((name) => name.endsWith('.ts') && !/\.(test|bench)\.ts$|(^|\/)(testing|gen)\//.test(name))
    .reduce((sum, name) => sum + read(`${folder}/${name}`).split('\n').length - 1, 0);
}

describe('the lines of code that decisions name', () => {
  const rows = readdirSync(new URL('../../docs/adr', import.meta.url)).flatMap((name) => {
    const [, table = ''] =
      /\| folder \| lines without tests \|\n\|---\|---\|\n((?:\| .*\n)+)/.exec(read(`docs/adr/${name}`)) ?? [];
    return [...table.matchAll(/^\| (.*) \| ([\d,]+) \|$/gm)].map(([, what, lines]) => ({
      name,
      folders: [...what!.matchAll(/`([^`]+)`/g)].map(([, folder]) => folder!),
      lines: Number(lines!.replaceAll(',', '')),
    }));
  });

  test('The lines of code that decisions name are in two of them', () => {
    expect([...new Set(rows.map(({ name }) => name))]).toEqual(['0002-etcd-client.md', '0004-http2-server.md']);
  });

  test.each(rows)(
    'The lines of code that decisions name are those of $folders, within five percent, in $name',
    ({ folders, lines }) => {
      const counted = folders.map(linesOf).reduce((a, b) => a + b);
      expect(Math.abs(counted - lines), `${counted} lines`).toBeLessThan(0.05 * lines);
    },
  );
});

/** Sections about no path through the code. */
const withoutPath = ['Packages', 'Where to find a concept', 'Decisions that differ from what one would expect'];

test('Every section of docs/architecture.md begins with three to six files to read first, which exist', () => {
  const sections = read('docs/architecture.md').split('\n## ').slice(1);
  const wrong = sections
    .filter((section) => !withoutPath.includes(section.split('\n')[0]!))
    .filter((section) => {
      const [, , line = ''] = section.split('\n');
      const files = [...line.matchAll(/`([^`]+)`/g)].map(([, file]) => file!);
      const exist = files.every((file) => existsSync(new URL(`../../src/${file}`, import.meta.url)));
      return !line.startsWith('Read first: ') || files.length < 3 || files.length > 6 || !exist;
    })
    .map((section) => section.split('\n')[0]);
  expect(sections.length).toBeGreaterThan(20);
  expect(wrong).toEqual([]);
});
