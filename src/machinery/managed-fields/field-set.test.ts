import { describe, expect, it, test } from 'vitest';
import { pick, randomInt, randomSource, type RandomSource } from '../../../test/support/random.ts';
import type { JsonValue } from '../value.ts';
import { FieldSet, type Path } from './field-set.ts';
import { fieldsText, fieldsValue, parseFields, parseFieldsText } from './fields-v1.ts';
import { fieldElement, indexElement, keyElement, valueElement, type PathElement } from './path-element.ts';

const elements: PathElement[] = [
  fieldElement('a'),
  fieldElement('b'),
  fieldElement('c'),
  keyElement([['name', 'x']]),
  keyElement([['name', 'y']]),
  valueElement('v'),
  valueElement(7),
  indexElement(0),
];

const randomPath = (random: RandomSource): Path =>
  Array.from({ length: 1 + randomInt(random, 3) }, () => pick(random, elements));
const randomPaths = (random: RandomSource): Path[] =>
  Array.from({ length: randomInt(random, 7) }, () => randomPath(random));

/** The sets as plain lists of paths: what the trie must agree with. */
const listOf = (set: FieldSet): string[] => [...set.paths()].map((path) => path.join('')).sort();
const shown = (paths: readonly Path[]): string[] => [...new Set(paths.map((path) => path.join('')))].sort();
const startsWith = (path: Path, prefix: Path): boolean =>
  prefix.every((element, index) => path[index]?.text === element.text);
const same = (a: Path, b: Path): boolean => a.length === b.length && startsWith(a, b);

describe('field sets', () => {
  it('Field sets agree with sets of paths', () => {
    const random = randomSource(42);
    for (let round = 0; round < 2000; round++) {
      const [left, right] = [randomPaths(random), randomPaths(random)];
      const [a, b] = [FieldSet.of(...left), FieldSet.of(...right)];
      expect(listOf(a)).toEqual(shown(left));
      expect(listOf(a.union(b))).toEqual(shown([...left, ...right]));
      expect(listOf(a.intersection(b))).toEqual(shown(left.filter((path) => right.some((other) => same(path, other)))));
      expect(listOf(a.difference(b))).toEqual(shown(left.filter((path) => !right.some((other) => same(path, other)))));
      expect(listOf(a.recursiveDifference(b))).toEqual(
        shown(left.filter((path) => !right.some((other) => startsWith(path, other)))),
      );
      expect(a.equals(b)).toBe(listOf(a).join() === listOf(b).join());
      for (const path of [...left, ...right]) expect(a.has(path)).toBe(left.some((other) => same(path, other)));
    }
  });

  it('Field sets return an operand where the result equals it', () => {
    const a = FieldSet.ofFields(['x', 'y'], ['z']);
    expect(a.union(FieldSet.ofFields(['x', 'y']))).toBe(a);
    expect(a.difference(FieldSet.ofFields(['x'], ['w']))).toBe(a);
    expect(a.recursiveDifference(FieldSet.ofFields(['w']))).toBe(a);
    expect(a.intersection(FieldSet.ofFields(['x', 'y'], ['z'], ['w']))).toBe(a);
    expect(a.difference(a).isEmpty).toBe(true);
    expect(FieldSet.empty.union(a)).toBe(a);
  });

  it('Field sets list the members of a level before what lies below', () => {
    expect([...FieldSet.ofFields(['b'], ['a', 'x'], ['c'], ['a']).paths()].map((path) => path.join(''))).toEqual([
      '.a',
      '.b',
      '.c',
      '.a.x',
    ]);
  });
});

describe('FieldsV1', () => {
  test.each<{ name: string; set: FieldSet; value: JsonValue }>([
    { name: 'nothing', set: FieldSet.empty, value: {} },
    {
      name: 'fields',
      set: FieldSet.ofFields(['spec', 'replicas'], ['data']),
      value: { 'f:data': {}, 'f:spec': { 'f:replicas': {} } },
    },
    {
      name: 'an object and its members',
      set: FieldSet.ofFields(['data'], ['data', 'k']),
      value: { 'f:data': { '.': {}, 'f:k': {} } },
    },
    {
      name: 'items',
      set: FieldSet.of([fieldElement('l'), keyElement([['name', 'c']])], [fieldElement('s'), valueElement('x')]),
      value: { 'f:l': { 'k:{"name":"c"}': {} }, 'f:s': { 'v:"x"': {} } },
    },
  ])('FieldsV1 has $name', ({ set, value }) => {
    expect(fieldsText(set)).toBe(JSON.stringify(value));
    expect(fieldsValue(set)).toEqual(value);
    expect(parseFields(value).equals(set)).toBe(true);
  });

  it('FieldsV1 comes back as the same set', () => {
    const random = randomSource(7);
    for (let round = 0; round < 500; round++) {
      const set = FieldSet.of(...randomPaths(random));
      expect(listOf(parseFieldsText(fieldsText(set)))).toEqual(listOf(set));
      expect(fieldsText(parseFields(fieldsValue(set)))).toBe(fieldsText(set));
    }
  });

  it('FieldsV1 is written in order, however it was read', () => {
    const set = parseFieldsText(
      '{"f:b":{},"f:a":{"f:y":{},"f:x":{}},"k:{\\"b\\":1,\\"a\\":2}":{"f:m":{}},"k:{\\"a\\":2,' +
        '\\"b\\":1}":{"f:n":{}},"z:later":{}}',
    );
    expect(fieldsText(set)).toBe('{"f:a":{"f:x":{},"f:y":{}},"f:b":{},"k:{\\"a\\":2,\\"b\\":1}":{"f:m":{},"f:n":{}}}');
  });

  it('FieldsV1 takes a member with nothing but unknown kinds below it for a member', () => {
    expect(fieldsText(parseFieldsText('{"f:a":{"x:b":{}},"f:c":{".":{}}}'))).toBe('{"f:a":{},"f:c":{}}');
  });

  test.each(['[]', '{"f:a":1}', '{"a":{}}', '{"k:nonsense":{}}', '{"f:a":{'])('FieldsV1 refuses %s', (text) => {
    expect(() => parseFieldsText(text)).toThrow();
  });

  it('FieldsV1 reads many unsorted fields in reasonable time', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`f:x${(index * 7919) % 20_000}`, {}]),
    );
    expect(parseFields(fields).nodes).toHaveLength(20_000);
  });
});
