import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { convertYaml, parseYaml, readYaml } from '../json/yaml.ts';

interface Vector {
  readonly text: string;
  readonly json?: string;
  readonly message?: string;
}

const { prefix, rows } = JSON.parse(
  readFileSync(new URL('../../../test/fixtures/yaml-vectors.json', import.meta.url), 'utf8'),
) as { prefix: string; rows: readonly Vector[] };

/** The members that the text adds to the prefix, or what is wrong with it. */
function outcome(text: string): unknown {
  try {
    const {
      apiVersion: _a,
      kind: _k,
      metadata: _m,
      ...members
    } = JSON.parse(readYaml(`${prefix}${text}${text.endsWith('\n') ? '' : '\n'}`).text) as Record<string, unknown>;
    return members;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('documents as kubectl 1.32 reads them', () => {
  test.each(rows)('Documents as kubectl 1.32 reads them: $text', ({ text, json, message }) => {
    expect(outcome(text)).toEqual(json === undefined ? message : JSON.parse(json));
  });
});

describe('the beginning of a document', () => {
  test.each([
    { name: 'a byte order mark', text: '\ufeffa: 1', value: { a: 1 } },
    { name: 'a version and a tag', text: '%YAML 1.1\n%TAG !e! tag:yaml.org,2002:\n---\n!e!str 5', value: '5' },
    { name: 'a value behind the marker', text: '--- {a: 1}', value: { a: 1 } },
    { name: 'nothing behind the marker', text: '---\n---\na: 1', value: null },
    { name: 'a scalar', text: 'text\nof two lines', value: 'text of two lines' },
    { name: 'a mistake in the next document', text: 'a: 1\n---\n@', value: { a: 1 } },
  ])('The beginning of a document: $name', ({ text, value }) => {
    expect(parseYaml(text).value).toEqual(value);
  });

  test.each([
    ['%YAML 1.2\n---\na: b', 'yaml: found incompatible YAML document'],
    ['%YAML 1.1\n%YAML 1.1\n--- a', 'yaml: line 1: found duplicate %YAML directive'],
    ['%TAG ! x\n%TAG ! y\n--- a', 'yaml: line 1: found duplicate %TAG directive'],
    ['%YAML 1.1\na: b', 'yaml: line 1: did not find expected <document start>'],
    ['%YAML 1', "yaml: did not find expected digit or '.' character"],
    ['%YAML 1.x', 'yaml: did not find expected version number'],
    ['%YAML 1.123', 'yaml: found extremely long version number'],
    ['%TAG e x', "yaml: did not find expected '!'"],
    ['%TAG !e x', "yaml: did not find expected '!'"],
    ['%TAG !e!\n--- a', 'yaml: did not find expected whitespace'],
    ['%YA.ML 1', 'yaml: found unexpected non-alphabetical character'],
    ['% x', 'yaml: could not find expected directive name'],
    ['%YAML 1.1 x', 'yaml: did not find expected comment or line break'],
    ['...\na: b', 'yaml: did not find expected node content'],
    ['"a', 'yaml: found unexpected end of stream'],
    ['"a\n---\nb"', 'yaml: line 2: found unexpected document indicator'],
  ])('The beginning of a document: %j is refused', (text, message) => {
    expect(() => parseYaml(text)).toThrow(expect.objectContaining({ name: 'YamlError', message }));
  });
});

describe('keys that JSON does not have', () => {
  test('Keys that JSON does not have are told with the value, which is cut where it is long', () => {
    expect(() => readYaml(`~: ${'x'.repeat(5_000)}`)).toThrow(
      /^unsupported map key of type: %!s\(<nil>\), key: <nil>, value: "x{900,1100}\.\.\.$/,
    );
    expect(() => readYaml(`? [${'[a, b, c], '.repeat(200_000)}]\n: b`)).toThrow(
      /^yaml: invalid map key: \[\]interface \{\}\{.{900,1100}\.\.\.$/,
    );
    expect(() => readYaml(`? ${'['.repeat(9_000)}${']'.repeat(9_000)}\n: b`)).toThrow(
      /^yaml: invalid map key: .{900,1100}$/,
    );
  });

  test('A syntax error behind them goes first', () => {
    expect(() => readYaml('[a]: b\nc: "d')).toThrow('yaml: line 2: found unexpected end of stream');
  });
});

const bodyLimit = 3 * 1024 * 1024;
const fill = (unit: string, length = bodyLimit): string => unit.repeat(Math.floor(length / unit.length));

/** Steps of the conversion, each of which does a bounded amount of work. */
function steps(text: string): { count: number; outcome: string } {
  const conversion = convertYaml(Buffer.from(text));
  for (let count = 1; ; count++) {
    try {
      if (conversion.next().done === true) return { count, outcome: 'read' };
    } catch (error) {
      return { count, outcome: (error as Error).message };
    }
  }
}

describe('documents of three megabytes', () => {
  test.each([
    { name: 'escapes that do not exist', text: `k: "${fill('\\q')}"`, message: 'yaml: found unknown escape character' },
    { name: 'commas', text: `[${fill(',')}`, message: 'yaml: did not find expected node content' },
    { name: 'closing brackets', text: fill(']'), message: 'yaml: did not find expected node content' },
    { name: 'closing braces', text: fill('}'), message: 'yaml: did not find expected node content' },
    { name: 'unknown directives', text: fill('%T\n'), message: 'yaml: found unknown directive name' },
    { name: 'colons', text: fill(': '), message: 'yaml: did not find expected key' },
    {
      name: 'characters that begin nothing',
      text: fill('@'),
      message: 'yaml: found character that cannot start any token',
    },
    { name: 'lists in lists', text: fill('['), message: 'yaml: exceeded max depth of 10000' },
    { name: 'block lists in lists', text: fill('- '), message: 'yaml: exceeded max depth of 10000' },
    { name: 'explicit keys in keys', text: fill('? '), message: 'yaml: exceeded max depth of 10000' },
  ])('Full of mistakes are refused at the first one: $name', ({ text, message }) => {
    const { count, outcome } = steps(text);
    expect(outcome).toBe(message);
    expect(count).toBeLessThan(4);
  });

  test.each([
    { name: 'entries', text: fill('- a\n') },
    { name: 'entries in brackets', text: `[${fill('a,')}]` },
    { name: 'lists that are closed', text: `[${fill(`${'['.repeat(240)}${'a,'.repeat(3_000)}${']'.repeat(240)},`)}]` },
    { name: 'keys', text: Array.from({ length: 200_000 }, (_, i) => `k${i}: v`).join('\n') },
    { name: 'one key', text: fill('k: v\n') },
    { name: 'anchors', text: `[${fill('&a x, ')}]` },
    { name: 'comments', text: fill('#\n') },
    { name: 'lines of text', text: `k:\n${fill(' a\n')}` },
    { name: 'documents', text: `a: b\n${fill('---\na: b\n')}` },
    {
      name: 'rising indentation',
      text: Array.from({ length: 20_000 }, (_, i) => `${' '.repeat(i % 240)}${i % 240 === 239 ? 'a: b\n' : 'a:'}`).join(
        '\n',
      ),
    },
    { name: 'merges', text: `a: &a {b: 1}\nb:\n${fill('  <<: *a\n')}` },
  ])('Documents of three megabytes are read with work in proportion to their length: $name', ({ text }) => {
    const { count, outcome } = steps(text);
    expect(outcome).toBe('read');
    expect(count).toBeLessThan(300);
  });

  test.each([
    {
      name: 'a text that aliases repeat',
      text: `[&a ${fill('x', bodyLimit / 2)}, ${Array(1_000).fill('*a').join(', ')}]`,
    },
    {
      name: 'a long map that is merged again and again',
      text:
        `a: &a {${Array.from({ length: 50_000 }, (_, i) => `k${i}: 1`).join(', ')}}\n` +
        `b:\n${fill('  <<: *a\n', bodyLimit / 2)}`,
    },
    {
      name: 'aliases of aliases',
      text: [
        'a0: &a0 [x,x,x,x,x,x,x,x,x]',
        ...Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(',')}]`),
      ].join('\n'),
    },
  ])('Documents of three megabytes in which aliases add more than there is are refused: $name', ({ text }) => {
    const { count, outcome } = steps(text);
    expect(outcome).toBe('yaml: document contains excessive aliasing');
    expect(count).toBeLessThan(400);
  });
});

describe('nesting', () => {
  const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

  test('Nested YAML of ten thousand levels is read', () => {
    expect(readYaml(lists(10_000)).text).toBe(lists(10_000));
    expect(() => readYaml(lists(10_001))).toThrow('yaml: exceeded max depth of 10000');
  });

  test('Nested YAML of blocks and brackets is counted together', () => {
    expect(() => readYaml(`${'- '.repeat(5_001)}${lists(5_000)}`)).toThrow('yaml: exceeded max depth of 10000');
  });

  test('Nested YAML of a value without a type is bounded, with aliases expanded', () => {
    expect(() => parseYaml(lists(501))).toThrow('yaml: exceeded max depth of 500');
    expect(() => parseYaml(`[&a ${lists(400)}, ${'['.repeat(200)}*a${']'.repeat(200)}]`)).toThrow(
      'yaml: exceeded max depth of 500',
    );
    expect(parseYaml(`[&a ${lists(400)}, ${'['.repeat(50)}*a${']'.repeat(50)}]`).problems).toEqual([]);
  });
});

test('A value that an alias repeats can be changed without changing the other', () => {
  const { a, b } = parseYaml('a: &a {c: 1}\nb: *a').value as Record<string, object>;
  expect(b).toEqual(a);
  expect(b).not.toBe(a);
});

test('Keys that came twice are told again for each alias', () => {
  expect(parseYaml('a: &a {b: 1, b: 2}\nc: *a').problems).toEqual([
    'yaml: unmarshal errors:\n  line 1: key "b" already set in map\n  line 1: key "b" already set in map',
  ]);
});
