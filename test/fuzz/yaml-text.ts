/** YAML as fuzzers and comparisons try it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { codecs } from '../../src/api/codecs.ts';
import { schemas } from '../../src/api/schemas.ts';
import { writeYaml } from '../../src/machinery/json/yaml.ts';
import { pick, randomInt, type RandomSource } from '../support/random.ts';
import { ValueGenerator } from '../support/random-values.ts';
import { changed, words } from './parts.ts';

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

/** Tokens in any order, documents of a table of vectors, or the YAML of an object; mostly with a few changes. */
export function yamlText(random: RandomSource): Buffer {
  switch (randomInt(random, 4)) {
    case 0:
      return Buffer.from(words(random, vocabulary, 25));
    case 1:
      return changed(random, Buffer.from(`${pick(random, vectors).text}\n${pick(random, vectors).text}`));
    default:
      return changed(random, generated(random), Buffer.from(words(random, vocabulary, 5)));
  }
}
