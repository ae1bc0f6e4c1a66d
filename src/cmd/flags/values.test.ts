import { describe, expect, test } from 'vitest';
import { parseBool, parseCsv, parseFloatValue, parseInteger, parseIp, parsePortRange } from './values.ts';

test.each([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => ({ text, value: true })),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => ({ text, value: false })),
])('parseBool reads $text', ({ text, value }) => {
  expect(parseBool(text)).toBe(value);
});

test.each(['', 'maybe', 'tRUE', 'yes', ' true'])('parseBool refuses "%s"', (text) => {
  expect(() => parseBool(text)).toThrow(`strconv.ParseBool: parsing "${text}": invalid syntax`);
});

describe('parseInteger', () => {
  test.each([
    { text: '0', value: 0 },
    { text: '6443', value: 6443 },
    { text: '-1', value: -1 },
    { text: '+7', value: 7 },
    { text: '0x1f', value: 31 },
    { text: '0b101', value: 5 },
    { text: '0o17', value: 15 },
    { text: '017', value: 15 },
    { text: '1_000', value: 1000 },
    { text: '0_7', value: 7 },
  ])('parseInteger reads $text', ({ text, value }) => {
    expect(parseInteger(text)).toBe(value);
  });

  test.each(['', 'abc', '1e5', '1.5', '08', '0x', '1__0', '_1', '1_', ' 1'])('parseInteger refuses "%s"', (text) => {
    expect(() => parseInteger(text)).toThrow(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  });

  test.each(['9223372036854775808', '-9223372036854775809', '99999999999999999999'])(
    'parseInteger says that %s is out of range',
    (text) => {
      expect(() => parseInteger(text)).toThrow(`strconv.ParseInt: parsing "${text}": value out of range`);
    },
  );
});

test.each([
  { text: '0.02', value: 0.02 },
  { text: '1e-3', value: 0.001 },
  { text: '.5', value: 0.5 },
])('parseFloatValue reads $text', ({ text, value }) => {
  expect(parseFloatValue(text)).toBe(value);
});

test.each(['', 'abc', '1,5'])('parseFloatValue refuses "%s"', (text) => {
  expect(() => parseFloatValue(text)).toThrow(`strconv.ParseFloat: parsing "${text}": invalid syntax`);
});

test.each(['0.0.0.0', '::', 'fd00::1', ' 10.0.0.1 '])('parseIp reads %s', (text) => {
  expect(parseIp(text)).toBe(text.trim());
});

test.each(['', 'foo', '10.0.0', '10.0.0.256', 'fe80::1%eth0'])('parseIp refuses "%s"', (text) => {
  expect(() => parseIp(text)).toThrow(`failed to parse IP: "${text}"`);
});

describe('parsePortRange', () => {
  test.each([
    { text: '30000-32767', range: { first: 30000, last: 32767 } },
    { text: '30000+10', range: { first: 30000, last: 30010 } },
    { text: '80', range: { first: 80, last: 80 } },
  ])('parsePortRange reads $text', ({ text, range }) => {
    expect(parsePortRange(text)).toEqual(range);
  });

  test.each([
    { text: '9-5', message: 'end port cannot be less than start port: 9-5' },
    { text: '1-70000', message: 'the port range cannot be greater than 65535: 1-70000' },
    { text: 'a-b', message: 'strconv.Atoi: parsing "a": invalid syntax' },
    { text: '1-', message: 'strconv.Atoi: parsing "": invalid syntax' },
    { text: '-5-9', message: 'strconv.Atoi: parsing "": invalid syntax' },
  ])('parsePortRange refuses $text', ({ text, message }) => {
    expect(() => parsePortRange(text)).toThrow(message);
  });
});

describe('parseCsv, RFC 4180', () => {
  test.each([
    { line: '', fields: [] },
    { line: 'a', fields: ['a'] },
    { line: 'a,b', fields: ['a', 'b'] },
    { line: 'a,', fields: ['a', ''] },
    { line: '"a,b",c', fields: ['a,b', 'c'] },
    { line: '"say ""hi"""', fields: ['say "hi"'] },
    { line: '"",x', fields: ['', 'x'] },
  ])('parseCsv splits $line', ({ line, fields }) => {
    expect(parseCsv(line)).toEqual(fields);
  });

  test.each([
    { line: '"a', message: 'extraneous or missing " in quoted-field' },
    { line: '"a"b', message: 'extraneous or missing " in quoted-field' },
    { line: 'a"b', message: 'parse error on line 1, column 2: bare " in non-quoted field' },
  ])('parseCsv refuses $line', ({ line, message }) => {
    expect(() => parseCsv(line)).toThrow(message);
  });
});
