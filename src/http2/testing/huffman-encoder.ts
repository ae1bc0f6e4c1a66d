import { canonicalCodes } from '../hpack/huffman.ts';

const codes = new Map<number, string>(
  Array.from(canonicalCodes(), ({ symbol, code, length }) => [symbol, code.toString(2).padStart(length, '0')]),
);

/** Huffman codes of Latin-1 text as a string of bits: slow, and plain enough to judge the decoder by. */
export function encodeHuffman(text: string): Buffer {
  const bits = Array.from(Buffer.from(text, 'latin1'), (byte) => codes.get(byte)!).join('');
  const whole = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1');
  return Buffer.from(whole.match(/.{8}/g)?.map((byte) => parseInt(byte, 2)) ?? []);
}
