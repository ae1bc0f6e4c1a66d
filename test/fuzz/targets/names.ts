import assert from 'node:assert/strict';
import * as addresses from '../../../src/machinery/formats/addresses.ts';
import * as names from '../../../src/machinery/formats/names.ts';
import { parseStrictAddress, parseStrictPrefix } from '../../../src/machinery/formats/strict-addresses.ts';
import { goQuote } from '../../../src/machinery/go-quote.ts';
import { attempt, changedWords, expectWithin } from '../parts.ts';
import type { FuzzTarget } from '../target.ts';

const vocabulary = [
  'a',
  'b-c',
  'A',
  '1',
  '-',
  '_',
  '.',
  '..',
  '/',
  '%',
  '*',
  'x.io',
  'x'.repeat(63),
  'x.'.repeat(30),
  'é',
  '\0',
  '\n',
  ' ',
  '10',
  '10.0.0.1',
  '::',
  'fe80',
  ':',
  '::ffff:',
  '/24',
  '/129',
  '[',
  ']',
  '%eth0',
  '0x',
  '$',
  'K8S',
];

type Check = (value: string) => readonly string[];
const checkers = Object.entries<unknown>({ ...names, ...addresses }).filter(
  (entry): entry is [string, Check] =>
    /^is[A-Z]/.test(entry[0]) &&
    Array.isArray((entry[1] as (value: string) => unknown).length === 1 ? (entry[1] as Check)('') : undefined),
);

/** RFC 1123 and the API's documentation, written once more. */
const expected: Readonly<Record<string, RegExp>> = {
  isLabelValue: /^(?![^]{64})([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/,
  isDns1123Label: /^(?![^]{64})[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
  isDns1035Label: /^(?![^]{64})[a-z]([-a-z0-9]*[a-z0-9])?$/,
  isDns1123Subdomain: /^(?![^]{254})[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
};

export const target: FuzzTarget = {
  about: 'names, label keys and values, addresses',
  runs: 6_000,
  generate: (random) => changedWords(random, vocabulary, 6),
  check(input) {
    const text = input.toString();
    for (const [name, check] of checkers) {
      const messages = check(text);
      assert.ok(Array.isArray(messages), name);
      expectWithin(messages.join().length, 2 * text.length + 2_000, `characters of ${name}`);
      if (expected[name] !== undefined) assert.equal(messages.length === 0, expected[name].test(text), name);
    }
    parseStrictAddress(text);
    parseStrictPrefix(text);
    attempt(() => addresses.parseIp(text));
    expectWithin(goQuote(text).length, 10 * text.length + 2, 'characters quoted');
  },
};
