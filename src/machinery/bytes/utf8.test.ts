import { describe, expect, test } from 'vitest';
import { pick, randomInt, randomSource } from '../../../test/support/random.ts';
import { decodeUtf8, decodeUtf8Replacing, encodeUtf8 } from './utf8.ts';

const decode = (hex: string): string => decodeUtf8(Buffer.from(hex, 'hex'), 0, hex.length / 2);
const replace = (hex: string): string => decodeUtf8Replacing(Buffer.from(hex, 'hex'), 0, hex.length / 2);

describe('bytes that are no UTF-8', () => {
  test.each([
    { name: 'a byte that begins nothing', hex: '61ff62', kept: 'a\udcffb', replaced: 'a\ufffdb' },
    { name: 'a sequence that is cut off', hex: 'e282', kept: '\udce2\udc82', replaced: '\ufffd\ufffd' },
    { name: 'a surrogate', hex: 'eda080', kept: '\udced\udca0\udc80', replaced: '\ufffd\ufffd\ufffd' },
    { name: 'an overlong encoding', hex: 'c080', kept: '\udcc0\udc80', replaced: '\ufffd\ufffd' },
    { name: 'beyond Unicode', hex: 'f4908080', kept: '\udcf4\udc90\udc80\udc80', replaced: '\ufffd\ufffd\ufffd\ufffd' },
    {
      name: 'between characters of every length',
      hex: 'ff61c3a9e282acf09f9880ff',
      kept: '\udcffaé€😀\udcff',
      replaced: '\ufffdaé€😀\ufffd',
    },
    {
      name: 'beside the character that stands for them',
      hex: 'efbfbdff',
      kept: '\ufffd\udcff',
      replaced: '\ufffd\ufffd',
    },
  ])('Bytes that are no UTF-8: $name', ({ hex, kept, replaced }) => {
    expect(decode(hex)).toBe(kept);
    expect(replace(hex)).toBe(replaced);
    expect(encodeUtf8(kept).toString('hex')).toBe(hex);
  });

  test('A lone surrogate that stands for no byte is written as U+FFFD', () => {
    expect(encodeUtf8('a\ud800b\udc00').toString()).toBe('a\ufffdb\ufffd');
  });

  test('Bytes that are no UTF-8 come back as they were, whatever they are', () => {
    const random = randomSource(3);
    for (let run = 0; run < 500; run++) {
      const characters = ['a', 'é', '€', '😀', '\ufffd'];
      const parts = Array.from({ length: randomInt(random, 12) }, () => pick(random, characters));
      const bytes = Buffer.concat(parts.flatMap((part) => [Buffer.from(part), Buffer.from([randomInt(random, 256)])]));
      expect(encodeUtf8(decodeUtf8(bytes, 0, bytes.length)).toString('hex')).toBe(bytes.toString('hex'));
    }
  });
});
