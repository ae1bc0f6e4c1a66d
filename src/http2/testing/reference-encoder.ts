import { staticEntries, staticNames, staticValues } from '../hpack/static-table.ts';
import { encodeHuffman } from './huffman-encoder.ts';

export type Field = readonly [name: string, value: string];

/** RFC 7541, section 6.2: what the decoder is to do with a literal. */
export type Literal = 'indexing' | 'without' | 'never';
const literals: Record<Literal, { readonly pattern: number; readonly limit: number }> = {
  indexing: { pattern: 0x40, limit: 0x3f },
  without: { pattern: 0x00, limit: 0x0f },
  never: { pattern: 0x10, limit: 0x0f },
};

/** The peer of a decoder, with a dynamic table: RFC 7541 to the letter, and no thought of speed. */
export class ReferenceEncoder {
  #maxBytes: number;
  /** Newest first. */
  #table: Field[] = [];

  constructor(tableBytes: number) {
    this.#maxBytes = tableBytes;
  }

  /** Indices of all entries with this name, and this value if there is one. */
  indicesOf(name: string, value?: string): number[] {
    const entries = [
      ...staticNames.slice(1).map((staticName, i): Field => [staticName, staticValues[i + 1]!]),
      ...this.#table,
    ];
    return entries.flatMap((entry, i) =>
      entry[0] === name && (value === undefined || entry[1] === value) ? [i + 1] : [],
    );
  }

  get entries(): number {
    return staticEntries + this.#table.length;
  }

  indexed(index: number): Buffer {
    return integer(index, 0x7f, 0x80);
  }

  /** `nameIndex` 0 for a name that is written out. */
  literal(
    [name, value]: Field,
    { as, nameIndex, huffman }: { readonly as: Literal; readonly nameIndex: number; readonly huffman: boolean },
  ): Buffer {
    const { pattern, limit } = literals[as];
    if (as === 'indexing') {
      this.#table.unshift([name, value]);
      this.#evict();
    }
    return Buffer.concat([
      integer(nameIndex, limit, pattern),
      ...(nameIndex === 0 ? [string(name, huffman)] : []),
      string(value, huffman),
    ]);
  }

  /** To stand at the beginning of a block. */
  resize(maxBytes: number): Buffer {
    this.#maxBytes = maxBytes;
    this.#evict();
    return integer(maxBytes, 0x1f, 0x20);
  }

  /** A block as clients write it: an index where there is one, else a literal in Huffman code that gets one. */
  block(fields: readonly Field[]): Buffer {
    return Buffer.concat(
      fields.map(([name, value]) => {
        const [whole] = this.indicesOf(name, value);
        return whole === undefined
          ? this.literal([name, value], { as: 'indexing', nameIndex: this.indicesOf(name)[0] ?? 0, huffman: true })
          : this.indexed(whole);
      }),
    );
  }

  #evict(): void {
    const bytes = (): number => this.#table.reduce((sum, [name, value]) => sum + name.length + value.length + 32, 0);
    while (bytes() > this.#maxBytes) this.#table.pop();
  }
}

function string(text: string, huffman: boolean): Buffer {
  const bytes = huffman ? encodeHuffman(text) : Buffer.from(text, 'latin1');
  return Buffer.concat([integer(bytes.length, 0x7f, huffman ? 0x80 : 0x00), bytes]);
}

function integer(value: number, limit: number, pattern: number): Buffer {
  if (value < limit) return Buffer.from([pattern | value]);
  const bytes = [pattern | limit];
  for (let rest = value - limit; ; rest >>= 7) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}
