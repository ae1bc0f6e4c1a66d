/** Sets of completion indexes, kept and written as intervals: `1,3-5,7`. */

type Interval = readonly [first: number, last: number];

export class IndexSet {
  static readonly empty = new IndexSet([]);
  /** Ascending, with gaps between them. */
  readonly #intervals: readonly Interval[];
  readonly size: number;

  private constructor(intervals: readonly Interval[]) {
    this.#intervals = intervals;
    this.size = intervals.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  }

  static of(indexes: Iterable<number>): IndexSet {
    return new IndexSet(merged([...indexes].map((index) => [index, index] as const)));
  }

  /** Parts that cannot be read, and indexes that are not below `completions`, are left out. */
  static parse(text: string, completions: number): IndexSet {
    const intervals: Interval[] = [];
    for (const part of text.split(',')) {
      const limits = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(part);
      if (limits === null) continue;
      const first = Number(limits[1]);
      const last = Math.min(limits[2] === undefined ? first : Number(limits[2]), completions - 1);
      if (first <= last) intervals.push([first, last]);
    }
    return new IndexSet(merged(intervals));
  }

  has(index: number): boolean {
    let low = 0;
    let high = this.#intervals.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#intervals[middle]![1] < index) low = middle + 1;
      else high = middle;
    }
    return low < this.#intervals.length && this.#intervals[low]![0] <= index;
  }

  union(other: IndexSet): IndexSet {
    if (other.size === 0) return this;
    if (this.size === 0) return other;
    return new IndexSet(merged([...this.#intervals, ...other.#intervals]));
  }

  /** How many indexes are in both. */
  countCommon(other: IndexSet): number {
    let count = 0;
    for (let i = 0, j = 0; i < this.#intervals.length && j < other.#intervals.length; ) {
      const [first, last] = this.#intervals[i]!;
      const [otherFirst, otherLast] = other.#intervals[j]!;
      count += Math.max(0, Math.min(last, otherLast) - Math.max(first, otherFirst) + 1);
      if (last < otherLast) i++;
      else j++;
    }
    return count;
  }

  /** The first indexes, up to a number of them, that are not in the set and below `end`. */
  firstMissing(count: number, end: number): number[] {
    const missing: number[] = [];
    let candidate = 0;
    for (const [first, last] of [...this.#intervals, [end, end] as const]) {
      for (; candidate < first && candidate < end && missing.length < count; candidate++) missing.push(candidate);
      candidate = Math.max(candidate, last + 1);
    }
    return missing;
  }

  toString(): string {
    return this.#intervals
      .map(([first, last]) => (first === last ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`))
      .join(',');
  }
}

function merged(intervals: readonly Interval[]): Interval[] {
  const result: [number, number][] = [];
  for (const [first, last] of intervals.toSorted(([a], [b]) => a - b)) {
    const previous = result.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else result.push([first, last]);
  }
  return result;
}
