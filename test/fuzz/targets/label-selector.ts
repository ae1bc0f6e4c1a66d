import assert from 'node:assert/strict';
import { matchesLabels, type Requirement, requirementsOf } from '../../../src/machinery/label-selector.ts';
import { parseLabelSelector, selectorText } from '../../../src/machinery/label-selector-text.ts';
import { pick, randomInt, randomSource, type RandomSource } from '../../support/random.ts';
import { attempt, changed, expectWithin, words } from '../parts.ts';
import type { FuzzTarget } from '../target.ts';

const vocabulary = [
  'a',
  'b',
  'c',
  'app',
  'x.io/a',
  'in',
  'notin',
  ' in ',
  ' notin ',
  '(',
  ')',
  '(a,b)',
  '(a, ,b)',
  ',',
  ',',
  '=',
  '==',
  '!=',
  '!',
  ' ',
  '\t',
  '\0',
  'é',
  '>',
  '<',
  '>5',
  '<007',
  '1',
  '-',
  '.',
  '/',
  'x'.repeat(64),
  'toString',
  'get',
];

function selector(random: RandomSource): string {
  const key = (): string => pick(random, ['a', 'b', 'c', 'app', 'x.io/a']);
  const value = (): string => pick(random, ['a', 'b', '', '7', '-1', 'x.y-z']);
  const requirement = (): string => {
    switch (randomInt(random, 5)) {
      case 0:
        return key();
      case 1:
        return `!${key()}`;
      case 2:
        return (
          `${key()} ${pick(random, ['in', 'notin'])} ` +
          `(${Array.from({ length: 1 + randomInt(random, 3) }, value).join(',')})`
        );
      case 3:
        return `${key()}${pick(random, ['>', '<'])}${randomInt(random, 9)}`;
      default:
        return `${key()}${pick(random, ['=', '==', '!='])}${value()}`;
    }
  };
  return Array.from({ length: 1 + randomInt(random, 4) }, requirement).join(',');
}

const objectOperators: Readonly<Record<string, string>> = {
  '=': 'In',
  '==': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
};

/** Labels of which some are asked for. */
function* labelsFor(requirements: readonly Requirement[]): Generator<Record<string, string>> {
  const random = randomSource(requirements.length);
  const values = [...requirements.flatMap((requirement) => requirement.values), 'other', '7'];
  for (let i = 0; i < 8; i++)
    yield Object.fromEntries(
      requirements.filter(() => random() < 0.7).map(({ key }) => [key, values[Math.floor(random() * values.length)]!]),
    );
}

/** The same selector as an object; undefined where that cannot say it. */
function asObject(requirements: readonly Requirement[]) {
  if (requirements.some(({ operator }) => objectOperators[operator] === undefined)) return undefined;
  return {
    matchExpressions: requirements.map(({ key, operator, values }) => ({
      key,
      operator: objectOperators[operator]!,
      values: [...values],
    })),
  };
}

export const target: FuzzTarget = {
  about: 'label selectors in a query',
  runs: 8_000,
  generate: (random) =>
    changed(
      random,
      Buffer.from(random() < 0.7 ? selector(random) : words(random, vocabulary, 9)),
      Buffer.from(words(random, vocabulary, 3)),
    ),
  check(input) {
    const text = input.toString();
    const requirements = attempt(() => parseLabelSelector(text), 'SelectorError');
    if (requirements === undefined) return;
    const written = selectorText(requirements);
    expectWithin(written.length, 2 * text.length + 10, 'characters');
    assert.equal(selectorText(parseLabelSelector(written)), written);
    const object = asObject(requirements);
    const others = object === undefined ? requirements : requirementsOf(object);
    for (const labels of labelsFor(requirements)) {
      const matches = matchesLabels(requirements, labels);
      assert.equal(matchesLabels(others, labels), matches);
      assert.equal(matchesLabels(requirements, new Map(Object.entries(labels))), matches);
    }
  },
};
