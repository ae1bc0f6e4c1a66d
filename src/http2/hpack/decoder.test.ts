import { describe, expect, test } from 'vitest';
import type { Field } from '../testing/reference-encoder.ts';
import { HpackDecoder } from './decoder.ts';

const block = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

const decoderOf = (options: { tableBytes?: number; maxListBytes?: number } = {}): HpackDecoder =>
  new HpackDecoder({ tableBytes: 4096, maxListBytes: 65_536, ...options });

function fieldsOf(decoder: HpackDecoder, bytes: Buffer): Field[] | undefined {
  const list = decoder.decode(bytes);
  return list && Array.from({ length: list.length / 2 }, (_, i) => [list[2 * i]!, list[2 * i + 1]!]);
}

/** The field with this index; indices from 127 on take a second byte and are not needed here. */
const indexed = (index: number): Buffer => Buffer.from([0x80 | index]);

/** What the dynamic table holds, newest first: every index is asked for until there is none. */
function tableOf(decoder: HpackDecoder): Field[] {
  const fields: Field[] = [];
  for (let index = 62; index < 127; index++) {
    try {
      fields.push(...fieldsOf(decoder, indexed(index))!);
    } catch {
      break;
    }
  }
  return fields;
}

interface Step {
  readonly hex: string;
  readonly fields: Field[];
  readonly table: Field[];
}

const date = (second: number): Field => ['date', `Mon, 21 Oct 2013 20:13:${second} GMT`];
const location: Field = ['location', 'https://www.example.com'];
const cookie: Field = ['set-cookie', 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1'];
const gzip: Field = ['content-encoding', 'gzip'];
const cachePrivate: Field = ['cache-control', 'private'];
const noCache: Field = ['cache-control', 'no-cache'];
const authority: Field = [':authority', 'www.example.com'];
const custom: Field = ['custom-key', 'custom-value'];
const get: Field = [':method', 'GET'];
const http: Field = [':scheme', 'http'];

const requests = (first: string, second: string, third: string): Step[] => [
  { hex: first, fields: [get, http, [':path', '/'], authority], table: [authority] },
  { hex: second, fields: [get, http, [':path', '/'], authority, noCache], table: [noCache, authority] },
  {
    hex: third,
    fields: [get, [':scheme', 'https'], [':path', '/index.html'], authority, custom],
    table: [custom, noCache, authority],
  },
];

const responses = (first: string, second: string, third: string): Step[] => [
  {
    hex: first,
    fields: [[':status', '302'], cachePrivate, date(21), location],
    table: [location, date(21), cachePrivate, [':status', '302']],
  },
  {
    hex: second,
    fields: [[':status', '307'], cachePrivate, date(21), location],
    table: [[':status', '307'], location, date(21), cachePrivate],
  },
  {
    hex: third,
    fields: [[':status', '200'], cachePrivate, date(22), location, gzip, cookie],
    table: [cookie, gzip, date(22)],
  },
];

describe('examples of RFC 7541, appendix C', () => {
  test.each([
    {
      name: 'C.3: requests without Huffman coding',
      tableBytes: 4096,
      steps: requests(
        '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '8286 84be 5808 6e6f 2d63 6163 6865',
        '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
      ),
    },
    {
      name: 'C.4: requests with Huffman coding',
      tableBytes: 4096,
      steps: requests(
        '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
        '8286 84be 5886 a8eb 1064 9cbf',
        '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
      ),
    },
    {
      name: 'C.5: responses without Huffman coding, entries are evicted',
      tableBytes: 256,
      steps: responses(
        '4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 ' +
          '3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '4803 3330 37c1 c0bf',
        '88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 ' +
          '7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 ' +
          '6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31',
      ),
    },
    {
      name: 'C.6: responses with Huffman coding, entries are evicted',
      tableBytes: 256,
      steps: responses(
        '4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad ' +
          '1718 63c7 8f0b 97c8 e9ae 82ae 43d3',
        '4883 640e ffc1 c0bf',
        '88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 ' +
          'e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07',
      ),
    },
  ])('Examples of RFC 7541, appendix C: $name', ({ tableBytes, steps }) => {
    const decoder = decoderOf({ tableBytes });
    for (const { hex, fields, table } of steps) {
      expect(fieldsOf(decoder, block(hex))).toEqual(fields);
      expect(tableOf(decoder)).toEqual(table);
    }
  });
});

const literal = (name: string, value: string, pattern = 0x40): Buffer =>
  Buffer.concat([
    Buffer.from([pattern, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ]);

describe('the dynamic table', () => {
  test('A repeated name keeps its order', () => {
    expect(
      fieldsOf(
        decoderOf(),
        Buffer.concat([literal('a', '1'), literal('b', '2', 0x00), literal('a', '3', 0x10), indexed(62)]),
      ),
    ).toEqual([
      ['a', '1'],
      ['b', '2'],
      ['a', '3'],
      ['a', '1'],
    ]);
  });

  test('A name of an entry that goes as the new one comes', () => {
    const decoder = decoderOf({ tableBytes: 40 });
    decoder.decode(literal('name', 'old'));
    expect(fieldsOf(decoder, block('7e 03 6e65 77'))).toEqual([['name', 'new']]);
    expect(tableOf(decoder)).toEqual([['name', 'new']]);
  });

  test('An entry as large as the table fits, a larger one empties it', () => {
    const decoder = decoderOf({ tableBytes: 64 });
    decoder.decode(literal('a', '1'.repeat(31)));
    expect(tableOf(decoder)).toEqual([['a', '1'.repeat(31)]]);
    expect(fieldsOf(decoder, literal('a', '2'.repeat(32)))).toEqual([['a', '2'.repeat(32)]]);
    expect(tableOf(decoder)).toEqual([]);
  });

  test('A smaller size evicts, and the former one can come back', () => {
    const decoder = decoderOf({ tableBytes: 100 });
    decoder.decode(Buffer.concat([literal('a', '1'), literal('b', '2')]));
    expect(fieldsOf(decoder, Buffer.concat([block('3f 03'), indexed(62)]))).toEqual([['b', '2']]);
    expect(tableOf(decoder)).toEqual([['b', '2']]);
    decoder.decode(Buffer.concat([block('20 3f 45'), literal('c', '3'), literal('d', '4')]));
    expect(tableOf(decoder)).toEqual([
      ['d', '4'],
      ['c', '3'],
    ]);
  });

  test('The dynamic table of HPACK keeps its order when it grows after entries have gone', () => {
    const decoder = decoderOf();
    const entries = (from: number, count: number): Field[] =>
      Array.from({ length: count }, (_, i) => ['n', String(from + i)]);
    const write = (fields: Field[]): Buffer => Buffer.concat(fields.map(([name, value]) => literal(name, value)));
    decoder.decode(write(entries(0, 10)));
    decoder.decode(Buffer.concat([block('20 3f e1 1f'), write(entries(10, 40))]));
    expect(tableOf(decoder)).toEqual(entries(10, 40).reverse());
  });

  test('The dynamic table of HPACK holds 4096 bytes until the peer asks for the more it was offered', () => {
    const decoder = decoderOf({ tableBytes: 8192 });
    const many = Buffer.concat(Array.from({ length: 60 }, (_, i) => literal('n', String(i).padStart(67, '0'))));
    decoder.decode(many);
    expect(tableOf(decoder)).toHaveLength(40);
    decoder.decode(Buffer.concat([block('3f e1 3f'), many]));
    expect(tableOf(decoder)).toHaveLength(65);
  });
});

describe('what is a compression error', () => {
  test.each([
    { name: 'index 0', hex: '80', error: 'no header has index 0' },
    { name: 'an index beyond the table', hex: '4001 6101 62 bf', error: 'no header has index 63' },
    { name: 'a name with an index beyond the table', hex: '7f00 0162', error: 'no header has index 63' },
    { name: 'an index of an entry that was evicted', hex: '20 4001 6101 62 be', error: 'no header has index 62' },
    { name: 'a table larger than we offered', hex: '3f e2 1f', error: 'larger dynamic table than we offered' },
    { name: 'a change of the table size behind a field', hex: '82 20', error: 'behind its beginning' },
    { name: 'an integer without end', hex: '7f80 8080 8080 8080 8001', error: 'too large' },
    { name: 'an integer of six bytes', hex: 'ff80 8080 8080 01', error: 'too large' },
    { name: 'an index as large as five bytes can say', hex: 'ffff ffff ff7f', error: 'no header has index' },
    { name: 'an integer cut off', hex: 'ff80', error: 'ends inside an integer' },
    { name: 'a length as large as five bytes can say', hex: '007f ffff ffff 7f', error: 'ends inside a string' },
    { name: 'a name cut off', hex: '4003 6162', error: 'ends inside a string' },
    { name: 'a value cut off', hex: '4001 6103 6162', error: 'ends inside a string' },
    { name: 'a Huffman-coded value cut off', hex: '4001 6183 1f', error: 'ends inside a string' },
    { name: 'a literal without anything', hex: '40', error: 'ends inside an integer' },
    { name: 'a name without a value', hex: '4001 61', error: 'ends inside an integer' },
    { name: 'Huffman padding with zeros', hex: '4001 6181 18', error: 'padding' },
    { name: 'Huffman padding of a whole byte', hex: '4001 6182 1fff', error: 'padding' },
    { name: 'Huffman padding that stands alone', hex: '4001 6181 ff', error: 'padding' },
    { name: 'a Huffman code cut off', hex: '4001 6182 fffe', error: 'padding' },
    { name: 'the end of string in Huffman code', hex: '4001 6184 ffff ffff', error: 'end of string' },
    { name: 'the end of string behind a character', hex: '4001 6185 1fff ffff ff', error: 'end of string' },
  ])('A compression error in a header block: $name', ({ hex, error }) => {
    expect(() => decoderOf().decode(block(hex))).toThrow(error);
  });
});

describe('a list larger than allowed', () => {
  test('A list as large as allowed is there', () => {
    expect(decoderOf({ maxListBytes: 34 }).decode(literal('a', '1'))).toEqual(['a', '1']);
    expect(decoderOf({ maxListBytes: 33 }).decode(literal('a', '1'))).toBeUndefined();
  });

  test('A header list larger than allowed leaves the table in step', () => {
    const decoder = decoderOf({ maxListBytes: 70 });
    expect(decoder.decode(Buffer.concat([literal('a', '1'), literal('b', '2'), literal('c', '3')]))).toBeUndefined();
    expect(tableOf(decoder)).toEqual([
      ['c', '3'],
      ['b', '2'],
      ['a', '1'],
    ]);
    expect(fieldsOf(decoder, indexed(63))).toEqual([['b', '2']]);
  });

  test('An error behind the limit is one still', () => {
    expect(() =>
      decoderOf({ maxListBytes: 70 }).decode(
        Buffer.concat([literal('a', '1'), literal('b', '2'), literal('c', '3'), indexed(80)]),
      ),
    ).toThrow('no header has index 80');
  });

  test('A large entry named over and over takes no memory', () => {
    const decoder = decoderOf();
    decoder.decode(literal('a', 'x'.repeat(100)));
    const bomb = Buffer.alloc(4_000_000, 0xbe);
    const before = process.memoryUsage().heapUsed;
    expect(decoder.decode(bomb)).toBeUndefined();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(8_000_000);
  });
});
