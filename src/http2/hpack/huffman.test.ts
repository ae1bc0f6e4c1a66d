import { describe, expect, test } from 'vitest';
import { randomInt, randomSource } from '../../../test/support/random.ts';
import { encodeHuffman } from '../testing/huffman-encoder.ts';
import { decodeHuffman } from './huffman.ts';

const decode = (bytes: Buffer): string => decodeHuffman(bytes, 0, bytes.length);

describe('Huffman code, RFC 7541, section 5.2', () => {
  test.each(Array.from({ length: 256 }, (_, byte) => ({ byte, text: String.fromCharCode(byte) })))(
    'Decodes character $byte wherever in a byte it begins',
    ({ text }) => {
      for (let before = 0; before < 8; before++) {
        const whole = `${'0'.repeat(before)}${text}${text}a`;
        expect(decode(encodeHuffman(whole))).toBe(whole);
      }
    },
  );

  test('The Huffman decoder decodes random strings of all characters, long ones too', () => {
    const random = randomSource(7541);
    for (let round = 0; round < 200; round++) {
      const text = String.fromCharCode(
        ...Array.from({ length: randomInt(random, round % 20 === 0 ? 20_000 : 100) }, () => randomInt(random, 256)),
      );
      expect(decode(encodeHuffman(text))).toBe(text);
    }
  });

  test('The Huffman decoder reads between its offsets only, and nothing is an empty string', () => {
    const bytes = Buffer.concat([Buffer.from('ab'), encodeHuffman('www.example.com'), Buffer.from('cd')]);
    expect(decodeHuffman(bytes, 2, bytes.length - 2)).toBe('www.example.com');
    expect(decodeHuffman(bytes, 2, 2)).toBe('');
  });

  test('Text of the Huffman decoder stays as it was when other text is decoded', () => {
    const first = decode(encodeHuffman('first'));
    decode(encodeHuffman('SECOND'));
    expect(first).toBe('first');
  });

  /** '0' has five bits: so many of them leave `bits` of the last byte. */
  const zeros = (bits: number): string => '0'.repeat([8, 3, 6, 1, 4, 7, 2, 5][bits]!);

  test.each([0, 1, 2, 3, 4, 5, 6, 7])('Huffman code takes %i bits of padding, and no byte more', (bits) => {
    const bytes = encodeHuffman(zeros(bits));
    expect(decode(bytes)).toBe(zeros(bits));
    expect(() => decode(Buffer.concat([bytes, Buffer.from([0xff])]))).toThrow('padding');
  });

  /** Five bits can be a character. */
  test.each([1, 2, 3, 4])('Huffman code refuses %i bits of padding that are not ones only', (bits) => {
    for (let padding = 0; padding < 2 ** bits - 1; padding++) {
      const bytes = encodeHuffman(zeros(bits));
      bytes[bytes.length - 1]! &= (0xff << bits) | padding;
      expect(() => decode(bytes)).toThrow('padding');
    }
  });

  test('The Huffman decoder refuses the end of string also when it met it before', () => {
    for (let time = 0; time < 2; time++) expect(() => decode(Buffer.from('ffffffff', 'hex'))).toThrow('end of string');
  });
});
