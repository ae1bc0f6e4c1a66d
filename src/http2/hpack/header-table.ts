import { staticEntries, staticNames, staticValues } from './static-table.ts';

/** RFC 7541, section 4.1: what an entry counts beyond its name and its value. */
const entryOverheadBytes = 32;
/** RFC 9113, section 6.5.2: the size that holds until a peer is told otherwise. */
const defaultTableBytes = 4096;

/**
 * The static table and, behind it, the dynamic one: what a peer has sent last, newest first.
 *
 * The entries are in a ring, so that nothing moves when one comes and one goes.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7541#section-2.3 | RFC 7541, section 2.3: indexing tables}
 */
export class HeaderTable {
  readonly #allowedBytes: number;
  #maxBytes: number;
  #bytes = 0;
  /** Both as long as a power of two, the entries before `#next`. */
  #names: string[] = [];
  #values: string[] = [];
  #count = 0;
  #next = 0;

  /** More than the default is there only once the peer has asked for it. */
  constructor(allowedBytes: number) {
    this.#allowedBytes = allowedBytes;
    this.#maxBytes = Math.min(allowedBytes, defaultTableBytes);
  }

  name(index: number): string {
    return index > staticEntries ? this.#names[this.#slot(index)]! : staticNames[checked(index)]!;
  }

  value(index: number): string {
    return index > staticEntries ? this.#values[this.#slot(index)]! : staticValues[checked(index)]!;
  }

  /** Section 4.4: an entry that is larger than the table empties it, and that is no error. */
  insert(name: string, value: string): void {
    const bytes = name.length + value.length + entryOverheadBytes;
    this.#evict(this.#maxBytes - bytes);
    if (bytes > this.#maxBytes) return;
    if (this.#count === this.#names.length) this.#grow();
    this.#names[this.#next] = name;
    this.#values[this.#next] = value;
    this.#next = (this.#next + 1) & (this.#names.length - 1);
    this.#count++;
    this.#bytes += bytes;
  }

  /** Section 6.3. */
  resize(maxBytes: number): void {
    if (maxBytes > this.#allowedBytes) throw new Error('the peer wants a larger dynamic table than we offered');
    this.#maxBytes = maxBytes;
    this.#evict(maxBytes);
  }

  #slot(index: number): number {
    const back = index - staticEntries;
    if (back > this.#count) throw new Error(`no header has index ${index}`);
    return (this.#next - back) & (this.#names.length - 1);
  }

  /** Section 4.3: the oldest go until no more than `bytes` are left, or nothing. */
  #evict(bytes: number): void {
    while (this.#bytes > bytes && this.#count > 0) {
      const oldest = (this.#next - this.#count) & (this.#names.length - 1);
      this.#bytes -= this.#names[oldest]!.length + this.#values[oldest]!.length + entryOverheadBytes;
      this.#names[oldest] = '';
      this.#values[oldest] = '';
      this.#count--;
    }
  }

  /** Of a full ring: its oldest entry is where the next one would go. */
  #grow(): void {
    const oldest = this.#next;
    const inOrder = (ring: string[]): string[] => [
      ...ring.slice(oldest),
      ...ring.slice(0, oldest),
      ...Array<string>(Math.max(16, ring.length)).fill(''),
    ];
    this.#names = inOrder(this.#names);
    this.#values = inOrder(this.#values);
    this.#next = this.#count;
  }
}

function checked(index: number): number {
  if (index === 0) throw new Error('no header has index 0');
  return index;
}
