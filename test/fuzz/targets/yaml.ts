import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { codecs } from '../../../src/api/codecs.ts';
import { schemas } from '../../../src/api/schemas.ts';
import { parseJson } from '../../../src/machinery/json/reader.ts';
import { stringifyJson } from '../../../src/machinery/json/writer.ts';
import { convertYaml, parseYaml, writeYaml } from '../../../src/machinery/json/yaml.ts';
import { pick, randomInt, type RandomSource } from '../../support/random.ts';
import { ValueGenerator } from '../../support/random-values.ts';
import { attempt, changed, expectWithin, words } from '../parts.ts';
import type { FuzzTarget } from '../target.ts';

const vocabulary = [
  'a',
  'b',
  'key',
  'x y',
  '1',
  '0777',
  '1.5',
  'true',
  'null',
  '~',
  '"q"',
  "'s'",
  '"a: b"',
  ': ',
  ':',
  '- ',
  '-',
  '? ',
  '?',
  '[',
  ']',
  '{',
  '}',
  ',',
  '\n',
  '\n',
  '\n  ',
  '\n    ',
  ' ',
  '\t',
  '#',
  '# c',
  '&a ',
  '*a',
  '!!str ',
  '!x ',
  '! ',
  '!!int ',
  '!!binary ',
  '|',
  '|-',
  '>',
  '>+',
  '|2',
  '\\',
  '"\\n"',
  '"\\x41"',
  '<<: ',
  '%',
  '%YAML 1.1',
  '@',
  '`',
  '"',
  "'",
  'é',
  '\u2028',
  '\x85',
  '😀',
  '---',
  '...',
  '\r\n',
  'a: b\n',
  '- c\n',
  '  - d\n',
  'k: |\n  text\n',
  'k: >\n   folded\n   text\n\n',
  'a: [1, 2]\n',
  'c: {d: e}\n',
  '? complex\n: value\n',
  'x: &a {y: z}\n',
  'w: *a\n',
  '- - x\n',
  '.inf',
  '2001-01-01',
  '[? a : b]',
  '\ufeff',
];

const vectors = (
  JSON.parse(readFileSync(path.join('test', 'fixtures', 'yaml-vectors.json'), 'utf8')) as {
    rows: readonly { text: string }[];
  }
).rows;

const generated = (random: RandomSource): Buffer =>
  Buffer.from(
    writeYaml(
      new ValueGenerator(schemas, random, (id) => codecs.of(id).empty()).struct(
        pick(random, ['core/v1.PodSpec', 'core/v1.ConfigMap', 'apps/v1.Deployment']),
        2,
      ),
    ),
  );

/** Characters that one step of the conversion reads, at least. */
const stepLength = 16 * 1024;
/** Of text that aliases may repeat. */
const aliased = 3 * 1024 * 1024;

function convert(input: Buffer): Buffer | undefined {
  const steps = convertYaml(input);
  for (let count = 1; ; count++) {
    expectWithin(count, input.length / stepLength + 200, 'steps');
    const step = steps.next();
    if (step.done === true) return step.value.json;
  }
}

export const target: FuzzTarget = {
  about: 'YAML documents',
  runs: 3_000,
  generate(random) {
    switch (randomInt(random, 4)) {
      case 0:
        return Buffer.from(words(random, vocabulary, 25));
      case 1:
        return changed(random, Buffer.from(`${pick(random, vectors).text}\n${pick(random, vectors).text}`));
      default:
        return changed(random, generated(random), Buffer.from(words(random, vocabulary, 5)));
    }
  },
  check(input) {
    const json = attempt(() => convert(input), 'YamlError');
    const value = attempt(() => parseYaml(input).value, 'YamlError');
    if (json === undefined) return;
    expectWithin(json.length, 20 * input.length + aliased, 'bytes of JSON');
    const read = attempt(() => parseJson(json), 'JsonSyntaxError', 'JsonTypeError');
    if (value === undefined || read === undefined) return;
    // JSON has no integers beyond int64.
    assert.equal(stringifyJson(parseJson(stringifyJson(value))), stringifyJson(read));
    assert.equal(stringifyJson(parseYaml(writeYaml(value)).value), stringifyJson(value));
  },
};
