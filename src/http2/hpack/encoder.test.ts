import { describe, expect, test } from 'vitest';
import { HpackDecoder } from './decoder.ts';
import { encodeAnswer, encodeRequest } from './encoder.ts';
import type { Field } from '../testing/reference-encoder.ts';

const hexOf = (status: number, fields: Field[]): string =>
  Buffer.from(encodeAnswer(status, fields), 'latin1').toString('hex');

function fieldsOf(status: number, fields: Field[]): string[] {
  return new HpackDecoder({ tableBytes: 0, maxListBytes: Infinity }).decode(
    Buffer.from(encodeAnswer(status, fields), 'latin1'),
  )!;
}

describe('the block of an answer', () => {
  test.each([
    { name: 'a status of the static table', status: 200, fields: [], hex: '88' },
    { name: 'the last status of the static table', status: 500, fields: [], hex: '8e' },
    { name: 'another status', status: 409, fields: [], hex: '08 03 343039' },
    { name: 'a name of the static table', status: 204, fields: [['date', 'x']], hex: '89 0f12 01 78' },
    { name: 'a name with an index that fits', status: 204, fields: [['accept-charset', 'x']], hex: '89 0f00 01 78' },
    { name: 'a name of our own', status: 204, fields: [['audit-id', 'x']], hex: '89 00 08 61756469742d6964 01 78' },
    { name: 'an empty value', status: 204, fields: [['vary', '']], hex: '89 0f2c 00' },
    { name: 'characters behind ASCII', status: 204, fields: [['vary', '\xe9\xff\t']], hex: '89 0f2c 03 e9ff09' },
    {
      name: 'a value of 126 bytes',
      status: 204,
      fields: [['vary', 'x'.repeat(126)]],
      hex: `89 0f2c 7e ${'78'.repeat(126)}`,
    },
    {
      name: 'a value of 127 bytes',
      status: 204,
      fields: [['vary', 'x'.repeat(127)]],
      hex: `89 0f2c 7f00 ${'78'.repeat(127)}`,
    },
    {
      name: 'a value of 300 bytes',
      status: 204,
      fields: [['vary', 'x'.repeat(300)]],
      hex: `89 0f2c 7fad01 ${'78'.repeat(300)}`,
    },
  ] satisfies { name: string; status: number; fields: Field[]; hex: string }[])(
    'The header block of a response: $name',
    ({ status, fields, hex }) => {
      const expected = hex.replaceAll(' ', '');
      expect(hexOf(status, fields)).toBe(expected);
      expect(hexOf(status, fields)).toBe(expected);
    },
  );

  test('The header block of an answer keeps the order, and names that come more than once', () => {
    expect(
      fieldsOf(
        401,
        [
          ['warning', 'a'],
          ['www-authenticate', 'b'],
          ['warning', 'a'],
          ['warning', 'c'],
        ], // prettier-ignore
      ),
    ).toEqual([':status', '401', 'warning', 'a', 'www-authenticate', 'b', 'warning', 'a', 'warning', 'c']);
  });

  test('The header block of an answer encodes the fields of any iterable', () => {
    expect(encodeAnswer(200, new Map([['vary', 'x']]))).toBe(encodeAnswer(200, [['vary', 'x']]));
  });

  test('The header block of an answer can have more values and names than are remembered', () => {
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 100; i++)
        expect(
          fieldsOf(200, [
            ['etag', String(i)],
            ['etag', String(i)],
          ]),
        ).toEqual([':status', '200', 'etag', String(i), 'etag', String(i)]);
      for (let i = 0; i < 400; i++)
        expect(fieldsOf(200, [[`x-name-${i}`, 'v']])).toEqual([':status', '200', `x-name-${i}`, 'v']);
    }
  });

  test.each([
    { name: 'an upper-case name', field: ['Vary', 'x'] },
    { name: 'an empty name', field: ['', 'x'] },
    { name: 'a name with a colon', field: ['a:b', 'x'] },
    { name: 'a pseudo-header field', field: [':status', '200'] },
    { name: 'a name with a line end', field: ['a\nb', 'x'] },
    { name: 'a name that ends in a line end', field: ['vary\n', 'x'] },
    { name: 'a name behind ASCII', field: ['\xe9', 'x'] },
    { name: 'a value with a line feed', field: ['vary', 'x\ny'] },
    { name: 'a value that ends in a line feed', field: ['vary', 'x\n'] },
    { name: 'a value with a carriage return', field: ['vary', 'x\ry'] },
    { name: 'a value with a null character', field: ['vary', 'x\0y'] },
    { name: 'a value that would become a line feed as a byte', field: ['vary', 'x\u010ay'] },
    { name: 'a value with an emoji', field: ['vary', 'x\u{1f600}y'] },
    { name: 'a long value with a line feed', field: ['vary', `${'x'.repeat(1000)}\n`] },
  ] satisfies { name: string; field: Field }[])('The HPACK encoder refuses $name, every time', ({ field }) => {
    for (let time = 0; time < 2; time++)
      expect(() => encodeAnswer(200, [field])).toThrow(/^no (name of a|value of) header field/);
  });

  test.each([{ status: 99 }, { status: 1000 }, { status: 200.5 }, { status: NaN }])(
    'The HPACK encoder refuses status $status',
    ({ status }) => {
      expect(() => encodeAnswer(status, [])).toThrow(`no status of an answer: ${status}`);
    },
  );
});

describe('the block of a request', () => {
  const request: Field[] = [
    [':method', 'GET'],
    [':scheme', 'https'],
    [':path', '/api/v1/pods?watch=true'],
    [':authority', 'localhost:6443'],
    ['accept', 'application/json'],
  ];

  test('The header block of a request keeps the order, the first time and later', () => {
    const decode = (): string[] =>
      new HpackDecoder({ tableBytes: 0, maxListBytes: Infinity }).decode(encodeRequest(request))!;
    expect(decode()).toEqual(request.flat());
    expect(decode()).toEqual(request.flat());
  });

  test.each([
    { name: 'that ends a line', field: ['x-note', 'a\r\nb: c'] },
    { name: 'beyond a byte', field: ['x-note', '\u0100'] },
    { name: 'in capitals', field: ['X-Note', 'a'] },
    { name: 'of a pseudo-header that requests do not have', field: [':status', '200'] },
  ] satisfies { name: string; field: Field }[])(
    'A field of a request with a character $name is refused',
    ({ field }) => {
      expect(() => encodeRequest([...request, field])).toThrow(TypeError);
    },
  );
});
