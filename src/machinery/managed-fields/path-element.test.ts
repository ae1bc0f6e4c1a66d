import { describe, expect, it, test } from 'vitest';
import {
  compareElements,
  fieldElement,
  indexElement,
  keyElement,
  parseElement,
  valueElement,
  type PathElement,
} from './path-element.ts';

describe('a path element', () => {
  test.each<{ name: string; element: PathElement; text: string; shown: string }>([
    { name: 'a field', element: fieldElement('app'), text: 'f:app', shown: '.app' },
    { name: 'a field with special characters', element: fieldElement('a.b/"c"'), text: 'f:a.b/"c"', shown: '.a.b/"c"' },
    { name: 'a key', element: keyElement([['name', 'c']]), text: 'k:{"name":"c"}', shown: '[name="c"]' },
    {
      name: 'a key of two parts',
      element: keyElement([
        ['port', 80],
        ['protocol', 'TCP'],
      ]),
      text: 'k:{"port":80,"protocol":"TCP"}',
      shown: '[port=80,protocol="TCP"]',
    },
    { name: 'a text of a set', element: valueElement('x'), text: 'v:"x"', shown: '[="x"]' },
    { name: 'HTML in a value', element: valueElement('<&>'), text: 'v:"\\u003c\\u0026\\u003e"', shown: '[="<&>"]' },
    { name: 'a number of a set', element: valueElement(1.5), text: 'v:1.5', shown: '[=1.5]' },
    {
      name: 'a big number',
      element: valueElement(9007199254740993n),
      text: 'v:9007199254740993',
      shown: '[=9007199254740993]',
    },
    { name: 'a boolean', element: valueElement(true), text: 'v:true', shown: '[=true]' },
    { name: 'an index', element: indexElement(3), text: 'i:3', shown: '[3]' },
  ])('A path element of $name has its encoding in FieldsV1 and in messages', ({ element, text, shown }) => {
    expect([element.text, String(element)]).toEqual([text, shown]);
    expect(parseElement(text)!.text).toBe(text);
  });

  test.each([
    ['f:a', '"f:a":'],
    ['f:a"b', '"f:a\\"b":'],
    ['f:\t\n\r', '"f:\\t\\n\\r":'],
    ['f:\b\f\u0001', '"f:\\u0008\\u000c\\u0001":'],
    ['f:\\b', '"f:\\\\b":'],
    ['f:\\\b', '"f:\\\\\\u0008":'],
    ['f:<ü>', '"f:<ü>":'],
    ['k:{"a":"b"}', '"k:{\\"a\\":\\"b\\"}":'],
  ])('A path element: %j is written as a member name', (text, memberName) => {
    expect(parseElement(text)!.memberName).toBe(memberName);
  });

  test.each(['i:x', 'i:', 'i:1.5', 'i:9007199254740992', 'i:999999999999999999999'])(
    'A path element: %s is no index',
    (text) => {
      expect(() => parseElement(text)).toThrow('not an index');
    },
  );

  it('A path element reads other spellings of a key as the same', () => {
    expect(parseElement('k:{ "protocol": "TCP", "port": 80 }')!.text).toBe('k:{"port":80,"protocol":"TCP"}');
  });

  it('A path element ignores kinds of a later version, and refuses what has no kind', () => {
    expect(parseElement('x:whatever')).toBeUndefined();
    for (const text of ['f', 'field', 'k:1', 'k:{', 'v:', 'i:x']) expect(() => parseElement(text)).toThrow();
  });

  it('A path element has its place: fields, keys, values, indices', () => {
    const sorted = [
      fieldElement('B'),
      fieldElement('a'),
      fieldElement('\uffee'),
      fieldElement('\u{1f600}'),
      keyElement([['a', 9]]),
      keyElement([['a', 10]]),
      keyElement([
        ['a', 10],
        ['b', 1],
      ]),
      keyElement([['a', '1']]),
      keyElement([['b', 0]]),
      valueElement(2),
      valueElement(10),
      valueElement('10'),
      valueElement('2'),
      valueElement(false),
      valueElement(true),
      indexElement(2),
      indexElement(10),
    ];
    expect(sorted.toReversed().sort(compareElements).map(String)).toEqual(sorted.map(String));
  });
});
