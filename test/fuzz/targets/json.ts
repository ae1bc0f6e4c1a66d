import assert from 'node:assert/strict';
import { codecs } from '../../../src/api/codecs.ts';
import { schemas } from '../../../src/api/schemas.ts';
import { JsonBody } from '../../../src/machinery/json/body.ts';
import { parseJson, readJson } from '../../../src/machinery/json/reader.ts';
import { createJsonAttributesScanner } from '../../../src/machinery/json/attributes-scanner.ts';
import { spliceJsonResourceVersion } from '../../../src/machinery/json/splice.ts';
import { stringifyJson } from '../../../src/machinery/json/writer.ts';
import { randomInt } from '../../support/random.ts';
import { ValueGenerator } from '../../support/random-values.ts';
import { attempt, changed, expectWithin, words } from '../parts.ts';
import type { FuzzTarget } from '../target.ts';

const vocabulary = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '"a"',
  '"a":',
  '"b":',
  '"__proto__":',
  '1',
  '-0',
  '1.5',
  '1e400',
  '12345678901234567890',
  '0x1',
  '01',
  'true',
  'nul',
  'null',
  ' ',
  '\n',
  '\\',
  '"\\u0041"',
  '"\\ud800"',
  '"\\ud83d\\ude00"',
  '\x00',
  'é',
  '😀',
  '"\\q"',
  '{}',
  '[]',
  '{"a":1,"a":2}',
];

const scan = createJsonAttributesScanner(['spec.nodeName']);

function parsedByNode(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** What the two readers may differ in: numbers that no float64 holds, halves of characters. */
const differs = /\d{16}|\d[eE]|\\u[dD]|\ufffd/;

export const target: FuzzTarget = {
  about: 'JSON without a type, and what is stored as JSON',
  runs: 3_000,
  generate(random) {
    if (randomInt(random, 3) === 0) return Buffer.from(words(random, vocabulary, 25));
    const value = new ValueGenerator(schemas, random, (id) => codecs.of(id).empty()).struct('core/v1.Pod', 2);
    return changed(random, codecs.of('core/v1.Pod').toJson(value), Buffer.from(words(random, vocabulary, 5)));
  },
  check(input) {
    const text = input.toString();
    const expected = parsedByNode(text);
    const document = attempt(() => readJson(input), 'JsonSyntaxError', 'JsonTypeError');
    if (expected === undefined) assert.equal(document, undefined);
    else if (!differs.test(text) && document !== undefined)
      assert.equal(stringifyJson(document.value), stringifyJson(expected.value as never));
    const body = attempt(() => new JsonBody(input).value(), 'JsonSyntaxError', 'JsonTypeError');
    if (body !== undefined) {
      expectWithin(body.problems.join().length, 2 * input.length + 65_536 + 100, 'characters of problems');
      const again = stringifyJson(body.value);
      expectWithin(again.length, 6 * input.length + 32, 'characters written');
      assert.equal(stringifyJson(parseJson(again)), again);
    }
    attempt(() => scan(input), 'DecodeError', 'JsonSyntaxError', 'JsonTypeError');
    const spliced = attempt(() => spliceJsonResourceVersion(input, 5), 'DecodeError');
    if (spliced !== undefined) expectWithin(spliced.length, input.length + 40, 'bytes with a version');
  },
};
