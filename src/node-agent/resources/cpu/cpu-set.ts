/**
 * Sets of CPUs, and of NUMA nodes, in the list format of the kernel: `0-3,7`.
 * @see {@link https://man7.org/linux/man-pages/man7/cpuset.7.html | cpuset(7), List format}
 */

/** A list of which a part is no number or range. */
export class CpuListError extends Error {
  override readonly name = 'CpuListError';
}

/** More than Linux can have. */
const maxId = 65_535;

export class CpuSet implements Iterable<number> {
  static readonly empty = new CpuSet([]);
  /** Ascending. */
  readonly ids: readonly number[];
  readonly #members: ReadonlySet<number>;

  constructor(ids: Iterable<number>) {
    this.#members = new Set(ids);
    this.ids = [...this.#members].sort((a, b) => a - b);
  }

  /** Throws a `CpuListError`. */
  static parse(text: string): CpuSet {
    const ids: number[] = [];
    for (const part of text.trim() === '' ? [] : text.trim().split(',')) {
      const [first = '', last = first, ...rest] = part.split('-');
      if (rest.length > 0) throw new CpuListError(`invalid range ${JSON.stringify(part)}`);
      const [from, to] = [idOf(first), idOf(last)];
      if (from > to) throw new CpuListError(`invalid range ${JSON.stringify(part)} (${from} > ${to})`);
      for (let id = from; id <= to; id++) ids.push(id);
    }
    return new CpuSet(ids);
  }

  get size(): number {
    return this.ids.length;
  }

  has(id: number): boolean {
    return this.#members.has(id);
  }

  union(other: Iterable<number>): CpuSet {
    return new CpuSet([...this.ids, ...other]);
  }

  minus(other: CpuSet): CpuSet {
    return this.filter((id) => !other.has(id));
  }

  and(other: CpuSet): CpuSet {
    return this.filter((id) => other.has(id));
  }

  filter(keeps: (id: number) => boolean): CpuSet {
    return new CpuSet(this.ids.filter(keeps));
  }

  equals(other: CpuSet): boolean {
    return this.size === other.size && this.ids.every((id) => other.has(id));
  }

  [Symbol.iterator](): Iterator<number> {
    return this.ids[Symbol.iterator]();
  }

  toString(): string {
    const ranges: [number, number][] = [];
    for (const id of this.ids) {
      const last = ranges.at(-1);
      if (last !== undefined && last[1] === id - 1) last[1] = id;
      else ranges.push([id, id]);
    }
    return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
  }
}

/** As Go reports what is no number. */
function idOf(text: string): number {
  if (!/^\d+$/.test(text)) throw new CpuListError(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  const id = Number(text);
  if (id > maxId) throw new CpuListError(`strconv.Atoi: parsing ${JSON.stringify(text)}: value out of range`);
  return id;
}
