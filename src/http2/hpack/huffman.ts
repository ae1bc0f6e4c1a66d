/**
 * The Huffman code of header strings. The code is canonical, so the lengths are all there is to know: codes of one
 * length are consecutive and in symbol order, and follow those of the length before.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7541#appendix-B | RFC 7541, appendix B}
 */

/** Code lengths in bits of the symbols 0–255, 16 to a row; then of the end-of-string symbol. */
// prettier-ignore
const codeLengths = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
  28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
  5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
  7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
  15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
  6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
  20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
  24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
  22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
  21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
  26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
  19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
  26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
  30,
];
const endOfString = 256;
const longestCode = 30;

/** Per length: the symbols with codes of that length, in code order, and the first such code. */
const symbolsByLength: number[][] = Array.from({ length: longestCode + 1 }, () => []);
codeLengths.forEach((length, symbol) => symbolsByLength[length]!.push(symbol));
const firstCodes: number[] = [];
for (let length = 0, code = 0; length <= longestCode; length++) {
  firstCodes.push(code);
  code = (code + symbolsByLength[length]!.length) * 2;
}

/**
 * Decodes a Huffman-coded string to Latin-1. Throws when it contains the end-of-string symbol, or ends in padding
 * that is not the beginning of that symbol or is longer than seven bits (RFC 7541, section 5.2: a decoding error).
 */
export function decodeHuffman(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  let code = 0;
  let length = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + ((byte >> bit) & 1);
      length++;
      const symbol = length > longestCode ? endOfString : symbolsByLength[length]![code - firstCodes[length]!];
      if (symbol === undefined) continue;
      if (symbol === endOfString) throw new Error('end of string inside a Huffman-coded header');
      text += String.fromCharCode(symbol);
      code = 0;
      length = 0;
    }
  }
  if (length > 7 || code !== 2 ** length - 1) throw new Error('bad padding after a Huffman-coded header');
  return text;
}
