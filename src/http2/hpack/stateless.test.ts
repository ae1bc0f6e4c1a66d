import { describe, expect, test } from 'vitest';
import { encodeHeaders } from './encoder.ts';
import { HeaderDecoder, decodeHeaders } from './stateless.ts';

const block = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

describe('header blocks, RFC 7541', () => {
  test.each([
    {
      name: 'C.2.1 literal with indexing',
      hex: '400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572',
      headers: { 'custom-key': 'custom-header' },
    },
    {
      name: 'C.2.2 literal without indexing',
      hex: '040c 2f73 616d 706c 652f 7061 7468',
      headers: { ':path': '/sample/path' },
    },
    {
      name: 'C.2.3 literal never indexed',
      hex: '1008 7061 7373 776f 7264 0673 6563 7265 74',
      headers: { password: 'secret' },
    },
    { name: 'C.2.4 indexed', hex: '82', headers: { ':method': 'GET' } },
    {
      name: 'C.4.1 request with Huffman coding',
      hex: '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
      headers: { ':method': 'GET', ':scheme': 'http', ':path': '/', ':authority': 'www.example.com' },
    },
    {
      name: 'C.6.1 response with Huffman coding',
      hex:
        '4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad ' +
        '1718 63c7 8f0b 97c8 e9ae 82ae 43d3',
      headers: {
        ':status': '302',
        'cache-control': 'private',
        date: 'Mon, 21 Oct 2013 20:13:21 GMT',
        location: 'https://www.example.com',
      },
    },
    { name: 'a table size of 0, as we asked for', hex: '20 88', headers: { ':status': '200' } },
    { name: 'an empty value', hex: '000b 677270632d7374617475 73 00', headers: { 'grpc-status': '' } },
  ])('Decodes $name', ({ hex, headers }) => {
    expect(Object.fromEntries(decodeHeaders(block(hex)))).toEqual(headers);
  });

  test.each([
    { name: 'an index of the dynamic table', hex: 'be', error: 'no header has index 62' },
    { name: 'index 0', hex: '80', error: 'no header has index 0' },
    { name: 'a table size that we did not offer', hex: '3f e1 1f', error: 'dynamic table' },
    { name: 'a string cut off', hex: '000b 6772', error: 'ends inside a string' },
    { name: 'an integer cut off', hex: '00ff', error: 'ends inside a' },
    { name: 'an integer without end', hex: '7fff ffff ffff ffff ff7f', error: 'too large' },
    { name: 'a name without a value', hex: '0001 61', error: 'ends inside an integer' },
    { name: 'Huffman padding with zeros', hex: '0001 6181 18', error: 'padding' },
    { name: 'Huffman padding of a whole byte', hex: '0001 6182 1fff', error: 'padding' },
    { name: 'end of string in Huffman code', hex: '0001 6184 ffff ffff', error: 'end of string' },
  ])('Header blocks, RFC 7541 refuses $name', ({ hex, error }) => {
    expect(() => decodeHeaders(block(hex))).toThrow(error);
  });

  test('HPACK decodes what it encodes', () => {
    const headers: [string, string][] = [
      [':method', 'POST'],
      [':scheme', 'https'],
      [':path', '/etcdserverpb.KV/Range'],
      [':authority', `${'x'.repeat(300)}:2379`],
      ['content-type', 'application/grpc'],
      ['te', 'trailers'],
      ['x-long-name-of-our-own', ''],
    ];
    expect([...decodeHeaders(encodeHeaders(headers))]).toEqual(headers);
  });

  test('HPACK remembers short blocks, and only so many', () => {
    const decoder = new HeaderDecoder();
    const status = block('88');
    expect(decoder.decode(status)).toBe(decoder.decode(Buffer.from(status)));
    const distinct = (i: number): Buffer => encodeHeaders([['grpc-message', String(i)]]);
    for (let i = 0; i < 200; i++) expect(decoder.decode(distinct(i)).get('grpc-message')).toBe(String(i));
    expect(decoder.decode(distinct(199))).not.toBe(decoder.decode(distinct(199)));
    const long = encodeHeaders([['grpc-message', 'x'.repeat(200)]]);
    expect(decoder.decode(long)).not.toBe(decoder.decode(long));
  });
});
