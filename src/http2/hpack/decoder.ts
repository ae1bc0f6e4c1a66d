import { HeaderTable } from './header-table.ts';
import { decodeHuffman } from './huffman.ts';

/** RFC 9113, section 6.5.2: what a field counts beyond its name and its value. */
const fieldOverheadBytes = 32;
const nothing = Buffer.alloc(0);

export interface HpackDecoderOptions {
  /**
   * What our SETTINGS_HEADER_TABLE_SIZE said, 4096 unless we said otherwise. The peer has to know of less than that
   * before its first block: it holds from the first block on.
   */
  readonly tableBytes: number;
  /** Of all fields of a block, as RFC 9113 counts: name, value and 32 more each. */
  readonly maxListBytes: number;
}

/**
 * Decodes the header blocks of one peer, in the order they came, with the dynamic table that they build up.
 *
 * Memory is bounded whatever the blocks say: the table by `tableBytes`, a list by `maxListBytes`, however often a short
 * block names a large entry.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7541#section-3 | RFC 7541, section 3: header block decoding}
 */
export class HpackDecoder {
  readonly #table: HeaderTable;
  readonly #maxListBytes: number;
  #block: Buffer = nothing;
  #at = 0;

  constructor(options: HpackDecoderOptions) {
    this.#table = new HeaderTable(options.tableBytes);
    this.#maxListBytes = options.maxListBytes;
  }

  /**
   * Names and values alternately, in the order of the block, a character per byte; undefined when they exceed
   * `maxListBytes`: the dynamic table is updated nevertheless, and the next block can be decoded.
   * Throws for a COMPRESSION_ERROR: no block of the peer can be decoded after that.
   */
  decode(block: Buffer): string[] | undefined {
    this.#block = block;
    this.#at = 0;
    this.#updateTableSize();
    const table = this.#table;
    const fields: string[] = [];
    let listBytes = 0;
    while (this.#at < block.length) {
      const first = block[this.#at]!;
      let name: string;
      let value: string;
      if (first >= 0x80) {
        const index = this.#integer(0x7f);
        name = table.name(index);
        value = table.value(index);
      } else {
        if (first >= 0x20 && first < 0x40)
          throw new Error('a header block changes the table size behind its beginning');
        const indexing = first >= 0x40;
        const index = this.#integer(indexing ? 0x3f : 0x0f);
        name = index === 0 ? this.#string() : table.name(index);
        value = this.#string();
        if (indexing) table.insert(name, value);
      }
      listBytes += name.length + value.length + fieldOverheadBytes;
      if (listBytes <= this.#maxListBytes) fields.push(name, value);
    }
    this.#block = nothing;
    return listBytes <= this.#maxListBytes ? fields : undefined;
  }

  /** Section 4.2: changes of the table size stand at the beginning of a block. */
  #updateTableSize(): void {
    while (this.#at < this.#block.length && (this.#block[this.#at]! & 0xe0) === 0x20)
      this.#table.resize(this.#integer(0x1f));
  }

  #string(): string {
    const huffman = this.#at < this.#block.length && this.#block[this.#at]! >= 0x80;
    const length = this.#integer(0x7f);
    const start = this.#at;
    const end = start + length;
    if (end > this.#block.length) throw new Error('a header block ends inside a string');
    this.#at = end;
    if (huffman) return decodeHuffman(this.#block, start, end);
    return this.#block.latin1Slice(start, end);
  }

  /** Section 5.1: an integer in the low bits of a byte, as `limit` masks them, and, if need be, in the bytes after. */
  #integer(limit: number): number {
    let value = this.#byte() & limit;
    if (value < limit) return value;
    for (let scale = 1; ; scale *= 128) {
      if (scale > 2 ** 28) throw new Error('a header block holds an integer that is too large');
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  #byte(): number {
    if (this.#at >= this.#block.length) throw new Error('a header block ends inside an integer');
    return this.#block[this.#at++]!;
  }
}
