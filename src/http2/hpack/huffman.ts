/**
 * The Huffman code of header strings. The code is canonical, so the lengths define it: codes of one length are
 * consecutive, in symbol order, and come directly after those of the previous length.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7541#appendix-B | RFC 7541, appendix B}
 */

/** Code lengths in bits of the symbols 0–255, 16 to a row; then of the end-of-string symbol. */
// prettier-ignore
export const codeLengths: readonly number[] = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6,
  5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23,
  22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22,
  23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26,
  20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27,
  27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27,
  27, 27, 27, 26, 30,
];
const endOfString = 256;
const longestCode = 30;

/** Symbol by symbol in the order of their codes, which count up within a length and double from one to the next. */
export function* canonicalCodes(): Generator<{
  readonly symbol: number;
  readonly code: number;
  readonly length: number;
}> {
  let code = 0;
  for (let length = 1; length <= longestCode; length++, code *= 2) {
    for (let symbol = 0; symbol <= endOfString; symbol++) {
      if (codeLengths[symbol] === length) yield { symbol, code: code++, length };
    }
  }
}

/**
 * The decoder takes a byte a step. Its state is where in the code tree the bits so far have led: one of 256 inner
 * nodes, the root being 0. A step leads to the next state and brings up to two symbols; it is packed into 32 bits:
 *
 *     state << 18 | number of symbols << 16 | second symbol << 8 | first symbol
 *
 * or `stepToEnd` when it meets the end-of-string symbol. Steps are worked out when they are taken for the first time:
 * ordinary text takes some hundred of the 65,536.
 */
class Steps {
  /** 0 is a step not taken yet: no step brings nothing and leads to the root. */
  readonly known = new Int32Array(256 * 256);
  /** Per inner node where a 0 and a 1 lead: to another inner node, or with `~symbol` to a symbol. */
  readonly #tree = new Int16Array(256 * 2);
  /** Where a string may end: at the root, or up to seven bits into the end-of-string symbol, which is ones only. */
  readonly #ends: number[] = [0];

  constructor() {
    let nodes = 1;
    const tree = this.#tree;
    for (const { symbol, code, length } of canonicalCodes()) {
      let edge = code >>> (length - 1);
      for (let bit = length - 2; bit >= 0; bit--) {
        if (tree[edge] === 0) tree[edge] = nodes++;
        edge = tree[edge]! * 2 + ((code >>> bit) & 1);
      }
      tree[edge] = ~symbol;
    }
    for (let bits = 1; bits <= 7; bits++) this.#ends.push(tree[this.#ends.at(-1)! * 2 + 1]!);
  }

  mayEnd(state: number): boolean {
    return this.#ends.includes(state);
  }

  take(state: number, byte: number): number {
    const step = this.#walk(state, byte);
    this.known[(state << 8) | byte] = step;
    return step;
  }

  #walk(state: number, byte: number): number {
    let symbols = 0;
    let count = 0;
    let node = state;
    for (let bit = 7; bit >= 0; bit--) {
      node = this.#tree[node * 2 + ((byte >> bit) & 1)]!;
      if (node >= 0) continue;
      if (~node === endOfString) return stepToEnd;
      symbols |= ~node << (8 * count++);
      node = 0;
    }
    return (node << 18) | (count << 16) | symbols;
  }
}

const stepToEnd = -1;
let steps: Steps | undefined;

/** The shortest code has five bits, and a step writes two bytes. */
const outputBytes = (inputBytes: number): number => Math.ceil((inputBytes * 8) / 5) + 2;
const sharedOutput = Buffer.allocUnsafeSlow(outputBytes(4096));

/**
 * Decodes the Huffman-coded string between two offsets to Latin-1. Throws when it contains the end-of-string symbol, or
 * ends in padding that is not the beginning of that symbol or is longer than seven bits (RFC 7541, section 5.2: a
 * decoding error).
 */
export function decodeHuffman(bytes: Uint8Array, start: number, end: number): string {
  steps ??= new Steps();
  const known = steps.known;
  const needed = outputBytes(end - start);
  const output = needed <= sharedOutput.length ? sharedOutput : Buffer.allocUnsafe(needed);
  let length = 0;
  let state = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    let step = known[(state << 8) | byte]!;
    if (step <= 0) {
      step = steps.take(state, byte);
      if (step === stepToEnd) throw new Error('end of string inside a Huffman-coded header');
    }
    output[length] = step;
    output[length + 1] = step >>> 8;
    length += (step >>> 16) & 3;
    state = step >>> 18;
  }
  if (!steps.mayEnd(state)) throw new Error('bad padding after a Huffman-coded header');
  return output.latin1Slice(0, length);
}
