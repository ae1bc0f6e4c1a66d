import assert from 'node:assert/strict';
import { fieldsText, parseFieldsText } from '../../../src/machinery/managed-fields/fields-v1.ts';
import { pick, randomInt, type RandomSource } from '../../support/random.ts';
import { changed, expectWithin, outcome, words } from '../parts.ts';
import type { FuzzTarget } from '../target.ts';

const valid = [
  '.',
  'f:a',
  'f:b',
  'f:toString',
  'f:__proto__',
  'k:{"name":"a"}',
  'k:{"a":1,"b":true}',
  'v:"x"',
  'v:1',
  'v:null',
  'v:[1]',
  'i:0',
  'i:7',
];
const names = [
  '.',
  'f:a',
  'f:b',
  'f:',
  'f:toString',
  'f:__proto__',
  'k:{"name":"a"}',
  'k:{"a":1,"b":true}',
  'k:{}',
  'k:{"a":1.50}',
  'k:odd',
  'v:"x"',
  'v:1',
  'v:null',
  'v:[1]',
  'i:0',
  'i:-1',
  'i:x',
  'i:99999999999999999999',
  'x:y',
  '',
  'f',
];

const name = (random: RandomSource): string => (random() < 0.9 ? pick(random, valid) : words(random, names, 1));

function set(random: RandomSource, depth: number): string {
  const members = Array.from(
    { length: randomInt(random, 4) },
    () => `${JSON.stringify(name(random))}:${depth === 0 || random() < 0.4 ? '{}' : set(random, depth - 1)}`,
  );
  return `{${members.join(',')}}`;
}

export const target: FuzzTarget = {
  about: 'field sets of managed fields',
  runs: 6_000,
  generate: (random) => changed(random, Buffer.from(set(random, 4))),
  check(input) {
    const text = input.toString();
    const { value: fields } = outcome(
      () => parseFieldsText(text),
      'Error',
      'SyntaxError',
      'JsonSyntaxError',
      'JsonTypeError',
    );
    if (fields === undefined) return;
    const written = fieldsText(fields);
    expectWithin(written.length, 8 * text.length + 10, 'characters');
    assert.equal(fieldsText(parseFieldsText(written)), written);
  },
};
