import assert from 'node:assert/strict';
import { fieldMatcher, fieldSelectorText, parseFieldSelector } from '../../../src/machinery/field-selector.ts';
import { attempt, changedWords, expectWithin } from '../parts.ts';
import type { FuzzTarget } from '../target.ts';

const vocabulary = [
  'metadata.name',
  'spec.nodeName',
  'a',
  '=',
  '==',
  '!=',
  ',',
  '\\',
  '\\,',
  '\\=',
  '\\\\',
  ' ',
  '!',
  'x',
  '',
  'é',
  '\0',
  '\n',
  '__proto__',
];

export const target: FuzzTarget = {
  about: 'field selectors in a query',
  runs: 8_000,
  generate: (random) => changedWords(random, vocabulary, 9),
  check(input) {
    const text = input.toString();
    const terms = attempt(() => parseFieldSelector(text), 'SelectorError');
    if (terms === undefined) return;
    const written = fieldSelectorText(terms);
    expectWithin(written.length, 2 * text.length + 10, 'characters');
    // A field is written as it is; one with a backslash or comma is read as something else again.
    if (terms.every(({ field }) => !/[\\,]/.test(field)))
      assert.deepEqual(sorted(parseFieldSelector(written)), sorted(terms));
    const matches = fieldMatcher(terms)((field) => terms.find((term) => term.field === field)?.value);
    assert.equal(typeof matches, 'boolean');
  },
};

const sorted = (terms: readonly object[]): string[] => terms.map((term) => JSON.stringify(term)).sort();
