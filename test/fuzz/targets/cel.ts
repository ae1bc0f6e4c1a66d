import assert from 'node:assert/strict';
import { boolType, dynType, environment } from '../../../src/cel/index.ts';
import { adaptAny } from '../../../src/cel/schema/json-values.ts';
import { pick, randomInt, type RandomSource } from '../../support/random.ts';
import { changed, expectWithin, words } from '../parts.ts';
import type { FuzzTarget } from '../target.ts';

const env = environment({ variables: { object: dynType, n: dynType } });
const unchecked = environment({ variables: { object: dynType }, unchecked: true });
const bindings = {
  object: adaptAny({ list: [1, 2, 3], map: { a: 'b', c: [{ d: null }] }, text: 'abc', number: 1.5, yes: true }),
  n: adaptAny(5),
};

const operands = [
  'object',
  'object.list',
  'object.map.a',
  'object.text',
  'object.number',
  'n',
  '1',
  '-1',
  '2u',
  '1.5',
  '1e308',
  '9223372036854775807',
  '"a"',
  'r"\\d"',
  'b"\\xff"',
  '"""x"""',
  'true',
  'null',
  '[]',
  '[1, 2]',
  '{}',
  '{"a": 1}',
  '{1: 2, true: "x"}',
  'duration("1h")',
  'timestamp("2024-01-01T00:00:00Z")',
  'type(1)',
  'optional.of(1)',
  'quantity("1Gi")',
  'url("https://a/b")',
  'ip("10.0.0.1")',
  'cidr("10.0.0.0/8")',
  'semver("1.2.3")',
  'x',
  'object.odd',
  'object[?"a"]',
  '__result__',
  'dyn(1)',
];
const operators = [
  ' + ',
  ' - ',
  ' * ',
  ' / ',
  ' % ',
  ' == ',
  ' != ',
  ' < ',
  ' >= ',
  ' && ',
  ' || ',
  ' in ',
  ' ? ',
  ' : ',
  ', ',
  '.',
  '',
  '!',
  '-',
];
const calls = [
  '.size()',
  '.map(x, x)',
  '.all(x, x > 0)',
  '.exists(x, y)',
  '.filter(x, true)',
  '.matches("(a|b)*")',
  '.contains("a")',
  '.split(",")',
  '.replace("a", "b")',
  '.format([1])',
  '.join()',
  '.charAt(99)',
  '.substring(1)',
  '.getHours()',
  '.isSorted()',
  '.sum()',
  '.hasValue()',
  '.orValue(2)',
  '.transformList(i, v, v)',
  '[0]',
  '["a"]',
  '.find("[")',
  '.isEqual(1)',
  '.toString()',
];

const textCalls = ['lowerAscii()', 'trim()', 'replace("a", "bb")', 'substring(1)', 'charAt(0)'];

/** Expressions of a type, mostly of things that have it: what compiles also runs. */
const typed = {
  bool(random: RandomSource, depth: number): string {
    const [int, text, list] = [
      typed.int(random, depth - 1),
      typed.text(random, depth - 1),
      typed.list(random, depth - 1),
    ];
    return pick(random, [
      'true',
      `${int} ${pick(random, ['<', '==', '>='])} ${typed.int(random, depth - 1)}`,
      `${text}.${pick(random, ['contains', 'startsWith', 'matches'])}(${typed.text(random, depth - 1)})`,
      `${list}.${pick(random, ['all', 'exists', 'exists_one'])}(x, x > ${int})`,
      `!(${text} == "a")`,
      `${int} in ${list}`,
      `has(object.map.a) && ${int} > 1`,
      `isQuantity(${text})`,
    ]);
  },
  int(random: RandomSource, depth: number): string {
    if (depth <= 0) return pick(random, ['1', '-1', '7', 'int(n)', '9223372036854775807']);
    return pick(random, [
      `(${typed.int(random, depth - 1)} ${pick(random, ['+', '-', '*', '/', '%'])} ${typed.int(random, depth - 1)})`,
      `size(${typed.text(random, depth - 1)})`,
      `${typed.list(random, depth - 1)}[${typed.int(random, depth - 1)}]`,
      `(${typed.bool(random, depth - 2)} ? 1 : ${typed.int(random, depth - 1)})`,
      `${typed.text(random, depth - 1)}.indexOf("a")`,
      `duration("1h").getHours()`,
    ]);
  },
  text(random: RandomSource, depth: number): string {
    if (depth <= 0) return pick(random, ['"a"', '"b,c"', 'string(object.text)', '"(a|b)*"', '"ä😀"', '"1Gi"']);
    return pick(random, [
      `(${typed.text(random, depth - 1)} + ${typed.text(random, depth - 1)})`,
      `string(${typed.int(random, depth - 1)})`,
      `${typed.text(random, depth - 1)}.${pick(random, textCalls)}`,
      `"%s %d".format([${typed.text(random, depth - 1)}, ${typed.int(random, depth - 1)}])`,
      `${typed.text(random, depth - 1)}.split(",").join("-")`,
    ]);
  },
  list(random: RandomSource, depth: number): string {
    if (depth <= 0) return pick(random, ['[1, 2, 3]', '[3]', '[1, -1]']);
    return pick(random, [
      `[${typed.int(random, depth - 1)}, ${typed.int(random, depth - 1)}]`,
      `${typed.list(random, depth - 1)}.${pick(random, ['map(x, x + 1)', 'filter(x, x > 1)', 'map(x, x > 1, x)'])}`,
      `(${typed.list(random, depth - 1)} + ${typed.list(random, depth - 1)})`,
    ]);
  },
};

function expression(random: RandomSource, depth: number): string {
  const operand = depth === 0 || random() < 0.4 ? pick(random, operands) : `(${expression(random, depth - 1)})`;
  const called = random() < 0.4 ? operand + pick(random, calls) : operand;
  return random() < 0.5 && depth > 0 ? `${called}${pick(random, operators)}${expression(random, depth - 1)}` : called;
}

const budget = 20_000;

/** `1.5s` and the like may depend on nothing but the input. */
function run(program: Exclude<ReturnType<typeof env.compile>, { failure: string }>): string {
  const outcome = program.evaluate(bindings, budget);
  expectWithin(outcome.cost, budget * 2, 'units');
  return 'error' in outcome ? outcome.error : typeof outcome.value;
}

export const target: FuzzTarget = {
  about: 'CEL expressions: compiled, and evaluated where they compile',
  runs: 3_000,
  generate(random) {
    const kind = randomInt(random, 10);
    const text =
      kind === 0
        ? words(random, [...operands, ...operators, ...calls], 8)
        : kind < 3
          ? expression(random, 3)
          : typed[pick(random, ['bool', 'int', 'text', 'list'] as const)](random, 4);
    return random() < 0.5
      ? Buffer.from(text)
      : changed(random, Buffer.from(text), Buffer.from(words(random, [...operands, ...calls], 2)));
  },
  check(input) {
    const text = input.toString();
    for (const compiled of [env.compile(text), env.compile(text, boolType), unchecked.compile(text)]) {
      if ('failure' in compiled)
        expectWithin(compiled.failure.length, 3 * text.length + 70_000, 'characters of problems');
      else assert.equal(run(compiled), run(compiled));
    }
  },
};
