/** How the work of a case grows with its size. */
import type { Case } from './cases.ts';
import type { ComplexityServer } from './server.ts';
import { exponent, grownMost, type Work, type WorkCounter } from './work-counter.ts';

/**
 * The exponent from which on growth is not taken for linear: n log n has about 1.1 at these sizes, n² has 2.
 */
export const largestExponent = 1.3;
/** What a request of any size may do is left out of account. */
const smallWork = 20_000;

export interface Growth {
  /** Of the last two steps, the smaller: one step alone can be a buffer that was made larger. */
  readonly exponent: number;
  readonly status: number;
  /** Elements per byte of the largest request. */
  readonly perByte: number;
  /** For a failure: which parts grew most. */
  readonly grown: string;
}

/** Counts the work of a case at `size`/4, `size`/2 and `size`; undefined where it has no such request. */
export async function measureGrowth(
  server: ComplexityServer,
  counter: WorkCounter,
  { request }: Case,
  size: number,
): Promise<Growth | undefined> {
  const works: Work[] = [];
  let status = 0;
  let length = 0;
  for (const bytes of [0, size / 4, size / 2, size]) {
    const message = request(bytes);
    if (message === undefined) return undefined;
    length =
      (message.body?.length ?? 0) +
      message.target.length +
      (message.headers ?? []).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    works.push(
      await counter.count(async () => {
        ({ status } = await server.send(message));
      }),
    );
  }
  const [base, quarter, half, whole] = works as [Work, Work, Work, Work];
  const isSmall = whole.total - base.total < smallWork;
  return {
    exponent: isSmall
      ? 0
      : Math.min(exponent(base.total, quarter.total, half.total, 2), exponent(base.total, half.total, whole.total, 2)),
    status,
    perByte: whole.total / length,
    grown: grownMost(half, whole),
  };
}
