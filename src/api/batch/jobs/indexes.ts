/** Sets of completion indexes as text: `1,3-5,7`, ascending. */
import { goQuote } from '../../../machinery/go-quote.ts';

/** What is wrong with a set of indexes. Clients see the messages. */
export class IndexesError extends Error {
  override readonly name = 'IndexesError';
}

type Interval = readonly [first: number, last: number];

/** How many indexes there are. All must be below `completions`. Throws {@link IndexesError}. */
export function countIndexes(text: string, completions: number): number {
  if (text === '') return 0;
  let count = 0;
  let previous: number | undefined;
  for (const part of text.split(',')) {
    const [first, last] = parseInterval(part, completions);
    if (previous !== undefined) checkOrder(previous, first);
    count += last - first + 1;
    previous = last;
  }
  return count;
}

/** The lowest of the indexes that are in both, undefined when there is none. Parts that cannot be read do not count. */
export function firstCommonIndex(a: string, b: string, completions: number): number | undefined {
  const left = readableIntervals(a, completions);
  const right = readableIntervals(b, completions);
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    const [leftFirst, leftLast] = left[i]!;
    const [rightFirst, rightLast] = right[j]!;
    if (leftFirst <= rightLast && rightFirst <= leftLast) return Math.max(leftFirst, rightFirst);
    if (leftFirst <= rightFirst) i++;
    else j++;
  }
  return undefined;
}

function readableIntervals(text: string, completions: number): Interval[] {
  return text.split(',').flatMap((part) => {
    try {
      return [parseInterval(part, completions)];
    } catch (error) {
      if (error instanceof IndexesError) return [];
      throw error;
    }
  });
}

function parseInterval(text: string, completions: number): Interval {
  const limits = text.split('-');
  if (limits.length > 2)
    throw new IndexesError(
      `the fragment ${goQuote(text)} violates the requirement that an index interval can have at most two ` +
        `parts separated by '-'`,
    );
  const first = parseIndex(limits[0]!, completions);
  if (limits.length === 1) return [first, first];
  const last = parseIndex(limits[1]!, completions);
  checkOrder(first, last);
  return [first, last];
}

function parseIndex(text: string, completions: number): number {
  if (!/^\+?[0-9]{1,19}$/.test(text))
    throw new IndexesError(`cannot convert string to integer for index: ${goQuote(text)}`);
  const index = Number(text);
  if (index >= completions) throw new IndexesError(`too large index: ${goQuote(text)}`);
  return index;
}

function checkOrder(previous: number, current: number): void {
  if (previous >= current) throw new IndexesError(`non-increasing order, previous: ${previous}, current: ${current}`);
}
