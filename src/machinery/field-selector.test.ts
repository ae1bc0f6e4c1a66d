import { describe, expect, test } from 'vitest';
import { fieldMatcher, fieldSelectorSteps, fieldSelectorText, parseFieldSelector } from './field-selector.ts';

describe('field selectors', () => {
  test.each([
    { name: 'empty', text: '', canonical: '' },
    { name: 'all operators, sorted', text: 'b!=2,a==1,c=3', canonical: 'a=1,b!=2,c=3' },
    { name: 'empty terms are dropped', text: ',a=1,', canonical: 'a=1' },
    { name: 'escaped characters', text: 'a=x\\,y\\=z\\\\', canonical: 'a=x\\,y\\=z\\\\' },
    { name: 'terms without field and value are dropped', text: '=,!=,a=1,==', canonical: 'a=1' },
    { name: 'a value without a field is not', text: '=1', canonical: '=1' },
    { name: 'empty value', text: 'a=', canonical: 'a=' },
  ])('A field selector: $name', ({ text, canonical }) =>
    expect(fieldSelectorText(parseFieldSelector(text))).toBe(canonical),
  );

  test('A field selector removes the escapes from values', () =>
    expect(parseFieldSelector('a=x\\,y')).toEqual([{ field: 'a', operator: '=', value: 'x,y' }]));

  test.each([
    { name: 'no operator', text: 'a=1,b', message: "invalid selector: 'a=1,b'; can't understand 'b'" },
    {
      name: 'unescaped equals sign',
      text: 'a=b=c',
      message: 'invalid field selector: unescaped character in value: 61',
    },
    { name: 'unknown escape', text: 'a=b\\c', message: 'invalid field selector: invalid escape sequence: \\c' },
    { name: 'escape at the end', text: 'a=b\\', message: 'invalid field selector: invalid escape sequence: \\' },
  ])('A field selector is refused: $name', ({ text, message }) =>
    expect(() => parseFieldSelector(text)).toThrow(message),
  );

  test.each([
    { text: 'a=1', matches: true },
    { text: 'a!=1', matches: false },
    { text: 'b=', matches: true },
    { text: 'a=1,b!=x', matches: true },
  ])('Matching $text', ({ text, matches }) =>
    expect(fieldMatcher(parseFieldSelector(text))((field) => ({ a: '1' })[field])).toBe(matches),
  );

  test.each([
    { name: 'two values', text: 'a=1,a=2', matches: false },
    { name: 'a value twice', text: 'a=1,a=1', matches: true },
    { name: 'a value and not it', text: 'a=1,a!=1', matches: false },
    { name: 'a value and not others', text: 'a=1,a!=2,a!=3', matches: true },
  ])('A field selector of one field: $name', ({ text, matches }) =>
    expect(fieldMatcher(parseFieldSelector(text))((field) => ({ a: '1' })[field])).toBe(matches),
  );

  test('A long text is parsed in steps', () => {
    let steps = 0;
    for (const _ of fieldSelectorSteps(Array.from({ length: 10_000 }, (_, i) => `a!=${i}`).join(','))) steps++;
    expect(steps).toBe(39);
  });

  test('Field selectors ask for each field once, however many terms there are', () => {
    const matches = fieldMatcher(
      parseFieldSelector(Array.from({ length: 50_000 }, (_, i) => `a!=${i},b!=${i}`).join(',')),
    );
    let asked = 0;
    expect(matches(() => (asked++, 'x'))).toBe(true);
    expect(asked).toBe(2);
  });
});
