/** The ranges of nodes within one range of the cluster, all of one size, and which of them are in use. */
import { type Cidr, cidrSize, formatCidr, networkAddress } from '../../machinery/formats/addresses.ts';

/** More ranges than 2^16 in one set take too much memory. */
const maxBits = 16;

export class CidrSet {
  readonly cluster: Cidr;
  readonly #nodeMaskSize: number;
  readonly #size: bigint;
  readonly #used: Uint8Array;
  #usedCount = 0;
  /** Where the next free range is looked for: one that was given back rests as long as there are others. */
  #next = 0;

  /** Throws when the size makes no sense in the range of the cluster. */
  constructor(cluster: Cidr, nodeMaskSize: number) {
    const bits = nodeMaskSize - cluster.prefixLength;
    if (bits < 0) throw new Error(`the mask size ${nodeMaskSize} of nodes is larger than ${formatCidr(cluster)}`);
    if (bits > maxBits) throw new Error('New CIDR set failed; the node CIDR size is too big');
    this.cluster = cluster;
    this.#nodeMaskSize = nodeMaskSize;
    this.#size = cidrSize({ ...cluster, prefixLength: nodeMaskSize });
    this.#used = new Uint8Array(2 ** bits);
  }

  get size(): number {
    return this.#used.length;
  }

  get usedCount(): number {
    return this.#usedCount;
  }

  /** @returns the range, and how many were looked at; undefined when all are in use */
  allocate(): { readonly cidr: Cidr; readonly tries: number } | undefined {
    if (this.#usedCount === this.size) return undefined;
    for (let tries = 1; ; tries++) {
      const index = this.#next;
      this.#next = (this.#next + 1) % this.size;
      if (this.#used[index] === 1) continue;
      this.#set(index, 1);
      return { cidr: this.#cidrAt(index), tries };
    }
  }

  /** Marks all ranges that overlap this one. @returns how many were free; undefined when it is elsewhere */
  occupy(cidr: Cidr): number | undefined {
    return this.#setAll(cidr, 1);
  }

  /** @returns how many were in use */
  release(cidr: Cidr): number | undefined {
    return this.#setAll(cidr, 0);
  }

  #setAll(cidr: Cidr, used: 0 | 1): number | undefined {
    if (cidr.family !== this.cluster.family) return undefined;
    const start = networkAddress(this.cluster);
    const end = start + cidrSize(this.cluster);
    const first = networkAddress(cidr);
    const last = first + cidrSize(cidr) - 1n;
    if (last < start || first >= end) return undefined;
    const from = Number(((first < start ? start : first) - start) / this.#size);
    const to = Number(((last >= end ? end - 1n : last) - start) / this.#size);
    let changed = 0;
    for (let index = from; index <= to; index++) {
      if (this.#used[index] === used) continue;
      this.#set(index, used);
      changed++;
    }
    return changed;
  }

  #set(index: number, used: 0 | 1): void {
    this.#used[index] = used;
    this.#usedCount += used === 1 ? 1 : -1;
  }

  #cidrAt(index: number): Cidr {
    const value = networkAddress(this.cluster) + BigInt(index) * this.#size;
    return { family: this.cluster.family, value, prefixLength: this.#nodeMaskSize, hasHostBits: false };
  }
}
