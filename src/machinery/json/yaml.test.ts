import { describe, expect, test } from 'vitest';
import { fixtureNames, hasFixtures, readFixture } from '../../../test/support/fixtures.ts';
import { schemas } from '../../../test/support/schemas.ts';
import { createCodecs } from '../codec/index.ts';
import { jsonToYaml, parseYaml, readYaml, writeYaml } from './yaml.ts';
import { compareKeys } from './yaml-write.ts';

const parse = (text: string): unknown => parseYaml(text).value;

describe('YAML 1.1 as Kubernetes reads it', () => {
  test.each([
    ['yes', true],
    ['No', false],
    ['on', true],
    ['OFF', false],
    ['y', true],
    ['N', false],
    ['True', true],
    ['~', null],
    ['', null],
    ['Null', null],
    ['0777', 511],
    ['0o17', 15],
    ['0x1F', 31],
    ['-0b11', -3],
    ['1_000', 1000],
    ['08', 8],
    ['+5', 5],
    ['1.', 1],
    ['1e3', 1000],
    ['-.5', -0.5],
    ['1.5e-3', 0.0015],
    ['9223372036854775807', 9223372036854775807n],
    ['18446744073709551615', 18446744073709551615n],
    ['18446744073709551616', 18446744073709552000],
    ['2001-01-01', '2001-01-01'],
    ['2001-12-14t21:59:43.10-05:00', '2001-12-14t21:59:43.10-05:00'],
    ['1:30', '1:30'],
    ['0b2', '0b2'],
    ['1.2.3', '1.2.3'],
    ['yEs', 'yEs'],
    ['"yes"', 'yes'],
    ["'0777'", '0777'],
    ['!!str 12', '12'],
    ['!!int "3"', 3],
    ['!!float 3', 3],
    ['!custom 5', '5'],
    ['!!binary aGk=', 'hi'],
  ])('YAML 1.1 as Kubernetes reads it: %s', (text, value) => {
    expect(parse(`a: ${text}`)).toEqual({ a: value });
  });

  test.each([
    {
      name: 'keys become texts',
      text: '1: a\ntrue: b\n1.5: c\nno: d\n',
      value: { 1: 'a', true: 'b', '1.5': 'c', false: 'd' },
    },
    { name: 'anchors', text: 'a: &x {b: 1}\nc: *x\nd: &x 2\ne: *x\n', value: { a: { b: 1 }, c: { b: 1 }, d: 2, e: 2 } },
    {
      name: 'merges',
      text: 'a: &x {p: 1, q: 2}\nb:\n  p: 0\n  <<: *x\n  q: 3\nc:\n  <<: [*x, {r: 4}]\n',
      value: { a: { p: 1, q: 2 }, b: { p: 1, q: 3 }, c: { p: 1, q: 2, r: 4 } },
    },
    { name: 'the first document', text: '# comment\n---\na: 1\n---\nb: 2\n', value: { a: 1 } },
    { name: 'no document', text: '# nothing\n', value: null },
    {
      name: 'blocks',
      text: 'a: |\n  x\n  y\nb: >-\n  x\n  y\nc: |+\n  x\n\n',
      value: { a: 'x\ny\n', b: 'x y', c: 'x\n\n' },
    },
    { name: 'a block without line break at the end', text: 'a: |\n  x', value: { a: 'x' } },
    { name: 'JSON', text: '{"a": [1, {"b": null}], "c": "\\u00e9"}', value: { a: [1, { b: null }], c: 'é' } },
  ])('YAML 1.1 as Kubernetes reads it: $name', ({ text, value }) => {
    expect(parse(text)).toEqual(value);
  });

  test('Duplicate keys in YAML are one problem, and the last one counts', () => {
    const { value, problems } = parseYaml('a: 1\na: 2\nb: {c: 1, c: 2}\n');
    expect(value).toEqual({ a: 2, b: { c: 2 } });
    expect(problems).toEqual([
      'yaml: unmarshal errors:\n  line 2: key "a" already set in map\n  line 3: key "c" already set in map',
    ]);
  });

  test('Members of YAML are sorted, and problems come in that order', () => {
    const { value, problems } = createCodecs(schemas)
      .of('core/v1.ConfigMap')
      .fromJson(readYaml('zodd: 1\nmetadata: {name: a}\naodd: 1\nkind: ConfigMap\n'));
    expect(value).toEqual({ kind: 'ConfigMap', metadata: { name: 'a' } });
    expect(problems).toEqual(['unknown field "aodd"', 'unknown field "zodd"']);
  });

  test.each([
    {
      name: 'nested mappings in a line',
      text: 'a: b: c',
      message: 'yaml: mapping values are not allowed in this context',
    },
    {
      name: 'the line, from the second on',
      text: 'a: 1\nb: c: d',
      message: 'yaml: line 2: mapping values are not allowed in this context',
    },
    { name: 'reserved characters', text: 'a: @x', message: 'yaml: found character that cannot start any token' },
    { name: 'tabs', text: 'a:\n\t- b', message: 'yaml: line 2: found character that cannot start any token' },
    { name: 'an open quote', text: 'a: "x', message: 'yaml: found unexpected end of stream' },
    { name: 'an open list', text: 'a: [1, 2', message: "yaml: line 1: did not find expected ',' or ']'" },
    { name: 'an unknown anchor', text: 'a: *x', message: "yaml: unknown anchor 'x' referenced" },
    { name: 'a value that contains itself', text: 'a: &x [*x]', message: "yaml: anchor 'x' value contains itself" },
    { name: 'keys that are no scalars', text: '? [a]\n: b', message: 'yaml: invalid map key: []interface {}{"a"}' },
    { name: 'control characters', text: 'a: \u0001', message: 'yaml: control characters are not allowed' },
    { name: 'wrong base64', text: 'a: !!binary x', message: 'yaml: !!binary value contains invalid base64 data' },
    { name: 'a tag that does not fit', text: 'a: !!int x', message: 'yaml: cannot decode !!str `x` as a !!int' },
  ])('YAML 1.1 as Kubernetes reads it refuses $name', ({ text, message }) => {
    expect(() => parseYaml(text)).toThrow(expect.objectContaining({ message }));
  });

  test('YAML refuses bytes that are no UTF-8', () => {
    expect(() => parseYaml(Buffer.from([0x61, 0x3a, 0x20, 0xff]))).toThrow('yaml: invalid leading UTF-8 octet');
  });
});

describe('documents that are built to hurt', () => {
  const laughs = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...[...'bcdefghi'].map((key, i) => `${key}: &${key} [${Array(9).fill(`*${'abcdefghi'[i]!}`).join(',')}]`),
  ].join('\n');

  test.each([
    { name: 'aliases of aliases', text: laughs, message: 'yaml: document contains excessive aliasing' },
    { name: 'deep flow lists', text: '['.repeat(200_000), message: 'yaml: exceeded max depth of 500' },
    { name: 'deep flow maps', text: '{a: '.repeat(50_000), message: 'yaml: exceeded max depth of 500' },
    { name: 'deep block lists', text: '- '.repeat(50_000), message: 'yaml: exceeded max depth of 500' },
    { name: 'deep complex keys', text: '? '.repeat(50_000), message: 'yaml: exceeded max depth of 500' },
  ])('YAML documents that are built to hurt: $name', ({ text, message }) => {
    expect(() => parseYaml(text)).toThrow(expect.objectContaining({ message }));
  });

  test('Very many nodes of YAML are read', () => {
    expect(parse('- a\n'.repeat(300_000))).toHaveLength(300_000);
  });

  test('A few aliases in YAML are fine', () => {
    expect(parse('a: &a [1,2,3]\nb: [*a, *a]\n')).toEqual({
      a: [1, 2, 3],
      b: [
        [1, 2, 3],
        [1, 2, 3],
      ],
    });
  });
});

describe('writing YAML as upstream prints it', () => {
  test.each([
    {
      name: 'words that mean something are quoted',
      value: ['yes', 'null', '~', '', '0777', '1.5', '2001-01-01', '1:30', 'y', '<<'],
      text: '- "yes"\n- "null"\n- "~"\n- ""\n- "0777"\n- "1.5"\n- "2001-01-01"\n- "1:30"\n- "y"\n- "<<"\n',
    },
    {
      name: 'indicators and spaces',
      value: ['a: b', 'a #b', '- x', '@a', "it's", ': x', ' x', 'x ', '---', 'a:b', 'a#b'],
      text: "- 'a: b'\n- 'a #b'\n- '- x'\n- '@a'\n- it's\n- ': x'\n- ' x'\n- 'x '\n- '---'\n- a:b\n- a#b\n",
    },
    {
      name: 'characters that need escapes',
      value: ['\t', 'é', '😀', '\u00a0'],
      text: '- "\\t"\n- é\n- "\\U0001F600"\n- \u00a0\n',
    },
    {
      name: 'lines',
      value: ['a\nb\n', 'a\nb', 'a\n\n', ' a\nb', 'a \n'],
      text: '- |\n  a\n  b\n- |-\n  a\n  b\n- |+\n  a\n\n- |2-\n   a\n  b\n- "a \\n"\n',
    },
    {
      name: 'nesting',
      value: { a: [[1, [2]], { b: [], c: {} }], d: { e: null } },
      text: 'a:\n- - 1\n  - - 2\n- b: []\n  c: {}\nd:\n  e: null\n',
    },
    {
      name: 'numbers',
      value: [1, -1.5, 1234567.5, 0.00001, 1e21, 9007199254740993n, true],
      text: '- 1\n- -1.5\n- 1.2345675e+06\n- 1e-05\n- 1e+21\n- 9007199254740993\n- true\n',
    },
    {
      name: 'keys in natural order',
      value: { x10: 1, x9: 1, X: 1, _a: 1, b: 1, '10': 1, '9': 1, 'a-b': 1, 'a.b': 1 },
      text: '_a: 1\n"9": 1\n"10": 1\nX: 1\na-b: 1\na.b: 1\nb: 1\nx9: 1\nx10: 1\n',
    },
    { name: 'long keys', value: { ['k'.repeat(129)]: 1 }, text: `? ${'k'.repeat(129)}\n: 1\n` },
  ])('Writing YAML as upstream prints it: $name', ({ value, text }) => {
    expect(writeYaml(value as never)).toBe(text);
    expect(parse(text)).toEqual(value);
  });

  test('Writing YAML as upstream prints it folds long lines behind column 80', () => {
    const message =
      "0/1 nodes are available: 1 node(s) had taint {node.kubernetes.io/not-ready: }, that the pod didn't " +
      'tolerate and more.';
    const text =
      "m: '0/1 nodes are available: 1 node(s) had taint {node.kubernetes.io/not-ready: },\n  that the pod " +
      "didn''t tolerate and more.'\n";
    expect(writeYaml({ m: message })).toBe(text);
    expect(parse(text)).toEqual({ m: message });
  });

  test('Writing YAML as upstream prints it sorts in a consistent order', () => {
    const keys = ['a1', 'a01', 'a10', 'a2', 'A', 'b', '_', '1', '10', '2', 'a.b', 'a/b', 'é', ''];
    for (const a of keys)
      for (const b of keys) expect(Math.sign(compareKeys(a, b)) + Math.sign(compareKeys(b, a))).toBe(0);
  });
});

describe.skipIf(!hasFixtures)('upstream’s YAML (facts/roundtrip)', () => {
  test.each(fixtureNames)('Upstream’s YAML: $name', ({ name }) => {
    expect(jsonToYaml(readFixture(name, 'json')).toString()).toBe(readFixture(name, 'yaml').toString());
    expect(parse(readFixture(name, 'yaml').toString())).toEqual(JSON.parse(readFixture(name, 'json').toString()));
  });
});
