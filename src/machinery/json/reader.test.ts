import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../value.ts';
import { duplicateFields } from './duplicate-fields.ts';
import { parseJson, readJson } from './reader.ts';
import { encodeJson, stringifyJson } from './writer.ts';

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('values', () => {
  test.each([
    { name: 'integers', text: '[0,-0,1,-1,9007199254740991]', value: [0, 0, 1, -1, 9007199254740991] },
    {
      name: 'integers that no float holds',
      text: '[9007199254740993,9223372036854775807,-9223372036854775808]',
      value: [9007199254740993n, 9223372036854775807n, -9223372036854775808n],
    },
    {
      name: 'integers beyond 64 bits as floats',
      text: '[9223372036854775808,18446744073709551615]',
      value: [9223372036854775808, 18446744073709552000],
    },
    { name: 'floats', text: '[1.5,1e3,-2.5E-3,1e21]', value: [1.5, 1000, -0.0025, 1e21] },
    { name: 'escapes', text: '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"', value: '"\\/\b\f\n\r\té😀' },
    {
      name: 'halves of characters as U+FFFD',
      text: '["\\ud800","\\udc00x","\\ud800\\u0041"]',
      value: ['\ufffd', '\ufffdx', '\ufffdA'],
    },
    { name: 'spaces', text: ' \t\r\n{ "a" : [ ] , "b" : { } } ', value: { a: [], b: {} } },
    { name: 'words', text: '[true,false,null]', value: [true, false, null] },
  ])('JSON values: $name', ({ text, value }) => {
    expect(parseJson(text)).toEqual(value);
    expect(parseJson(Buffer.from(text))).toEqual(value);
  });

  test('Keys of JSON values are data: __proto__ and numbers too, and objects have no prototype', () => {
    const value = parseJson('{"__proto__":{"a":1},"constructor":2,"10":3,"9":4,"":5}') as JsonObject;
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(Object.keys(value).sort()).toEqual(['', '10', '9', '__proto__', 'constructor']);
    expect(stringifyJson(value)).toBe('{"":5,"10":3,"9":4,"__proto__":{"a":1},"constructor":2}');
  });

  test('Bytes of JSON that are no UTF-8 become U+FFFD, one each', () => {
    expect(parseJson(Buffer.from('22fffee282c32822', 'hex'))).toBe(`${'\ufffd'.repeat(5)}(`);
  });

  test('JSON of ten thousand levels is read and written; one more is too deep', () => {
    expect(stringifyJson(readJson(nested(10_000)).value)).toBe(nested(10_000));
    expect(() => readJson(nested(10_001))).toThrow("invalid character '[' exceeded max depth");
    expect(() => readJson('{"a":'.repeat(10_001))).toThrow("invalid character '{' exceeded max depth");
  });
});

describe('errors in the words of Go', () => {
  test.each([
    ['', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"a"', 'unexpected end of JSON input'],
    ['"abc', 'unexpected end of JSON input'],
    ['[1,', 'unexpected end of JSON input'],
    ['x', "invalid character 'x' looking for beginning of value"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['{}x', "invalid character 'x' after top-level value"],
    ['01', "invalid character '1' after top-level value"],
    ['[01]', "invalid character '1' after array element"],
    ['tru', "invalid character ' ' in literal true (expecting 'e')"],
    ['nul]', "invalid character ']' in literal null (expecting 'l')"],
    ['fAlse', "invalid character 'A' in literal false (expecting 'a')"],
    ['-', "invalid character ' ' in numeric literal"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['1.', "invalid character ' ' after decimal point in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1e', "invalid character ' ' in exponent of numeric literal"],
    ['1e+x', "invalid character 'x' in exponent of numeric literal"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12x4"', "invalid character 'x' in \\u hexadecimal character escape"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ['é', "invalid character 'Ã' looking for beginning of value"],
    ['\u0001', "invalid character '\\x01' looking for beginning of value"],
    ['1e400', 'json: cannot unmarshal number 1e400 into Go value of type float64'],
    ['[1e400', 'unexpected end of JSON input'],
  ])('JSON errors in the words of Go: %j', (text, message) => {
    expect(() => parseJson(text)).toThrow(expect.objectContaining({ message }));
  });

  test('An error in the words of Go names a byte that is no UTF-8', () => {
    expect(() => parseJson(Buffer.from([0x7b, 0xff]))).toThrow(
      "invalid character 'ÿ' looking for beginning of object key string",
    );
  });
});

describe('duplicate keys', () => {
  test.each([
    { name: 'the last one counts', text: '{"a":1,"a":2}', value: { a: 2 }, problems: ['duplicate field "a"'] },
    {
      name: 'each path is reported once, in order',
      text: '{"a":{"b":1,"b":2,"b":3},"a":{"b":4},"c":[{"d":1,"d":2}]}',
      value: { a: { b: 4 }, c: [{ d: 2 }] },
      problems: ['duplicate field "a.b"', 'duplicate field "a"', 'duplicate field "c[0].d"'],
    },
    {
      name: 'names are quoted as Go does',
      text: '{"a\\"b":1,"a\\"b":2}',
      value: { 'a"b': 2 },
      problems: ['duplicate field "a\\"b"'],
    },
    { name: 'none', text: '{"a":{"a":{"a":1}}}', value: { a: { a: { a: 1 } } }, problems: [] },
  ])('Duplicate keys in JSON: $name', ({ text, value, problems }) => {
    const document = readJson(text);
    expect(document.value).toEqual(value);
    expect(duplicateFields(document)).toEqual(problems);
  });

  test('No more than a hundred are reported', () => {
    const text = `{${Array.from({ length: 150 }, (_, i) => `"k${i}":1,"k${i}":2`).join(',')}}`;
    expect(duplicateFields(readJson(text))).toHaveLength(100);
  });
});

describe('writing values without a type', () => {
  test.each([
    {
      name: 'sorts members by their bytes',
      value: { b: 1, a: 2, '\uffff': 3, '\u{10000}': 4, B: 5 },
      text: '{"B":5,"a":2,"b":1,"\uffff":3,"\u{10000}":4}',
    },
    {
      name: 'escapes what HTML needs escaped',
      value: '<a href="x">&\u2028\u2029\b\f\n\u0001\u007fé',
      text: '"\\u003ca href=\\"x\\"\\u003e\\u0026\\u2028\\u2029\\b\\f\\n\\u0001\u007fé"',
    },
    { name: 'leaves out what is undefined', value: { a: undefined, b: [null] }, text: '{"b":[null]}' },
    {
      name: 'numbers',
      value: [0, -0, 1.5, 1e20, 1e21, 1e-6, 1e-7, 123456789, 9007199254740993n, -1],
      text: '[0,0,1.5,100000000000000000000,1e+21,0.000001,1e-7,123456789,9007199254740993,-1]',
    },
    { name: 'a long text', value: 'x'.repeat(70_000), text: `"${'x'.repeat(70_000)}"` },
    { name: 'halves of characters', value: 'a\ud800b\udc00', text: '"a\\ufffdb\\ufffd"' },
  ])('Writing JSON values without a type: $name', ({ value, text }) => {
    expect(stringifyJson(value as never)).toBe(text);
    expect(encodeJson(value as never).toString()).toBe(text);
  });

  test('Writing values without a type refuses numbers that JSON does not have', () => {
    expect(() => encodeJson([NaN])).toThrow('json: unsupported value: NaN');
    expect(() => encodeJson(-Infinity)).toThrow('json: unsupported value: -Inf');
  });
});
