import { expect, test } from 'vitest';
import { parseQuery } from './query.ts';

test.each([
  { name: 'nothing', text: '', expected: [] },
  {
    name: 'names, values, and names without any',
    text: 'a=1&b&c=',
    expected: [
      ['a', '1'],
      ['b', ''],
      ['c', ''],
    ],
  },
  {
    name: 'a name twice',
    text: 'a=1&a=2',
    expected: [
      ['a', '1'],
      ['a', '2'],
    ],
  },
  { name: 'escapes and plus signs', text: 'a=%20b+%2B%c3%a4', expected: [['a', ' b +ä']] },
  { name: 'a value whose escape is none', text: 'a=1&b=%zz&c=%4&d=%', expected: [['a', '1']] },
  { name: 'a name whose escape is none', text: '%zz=1&a=1', expected: [['a', '1']] },
  { name: 'a semicolon', text: 'a=1;b=2&c=3', expected: [['c', '3']] },
  { name: 'an escaped semicolon', text: 'a=1%3Bb', expected: [['a', '1;b']] },
  { name: 'a question mark more', text: '?a=1', expected: [['?a', '1']] },
])('Of a query is read: $name', ({ text, expected }) => expect([...parseQuery(text)]).toEqual(expected));
