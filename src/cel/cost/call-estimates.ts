/** What calls may cost, from the sizes of what they are given. Together with `sizes.ts`, which says what they do cost. */
import type { CallEstimate, CallEstimator, CallSizes } from './estimate.ts';
import { byFactor, either, exactly, one, plus, type Range, sum, times, upTo } from './range.ts';
import { patternFactor, traversalFactor } from './sizes.ts';

const read = (size: Range): Range => byFactor(size, traversalFactor);

/** Cost of its own beside that of the arguments. */
export const withArguments = (own: (call: CallSizes) => { readonly cost: Range; readonly size?: Range }): CallEstimator => (call): CallEstimate => {
  const { cost, size } = own(call);
  return size === undefined ? { cost: plus(sum(call.costs), cost) } : { cost: plus(sum(call.costs), cost), size };
};

/** A call of one unit. */
export const unit = withArguments(() => ({ cost: one }));

/** Reads the first argument once; the result is as long at most. */
export const readsFirst = withArguments(({ size }) => ({ cost: read(size(0)), size: upTo(size(0).max) }));
/** Reads the first argument once and gives no text. */
export const looksThroughFirst = withArguments(({ size }) => ({ cost: read(size(0)) }));
/** `a.startsWith(b)` */
export const readsSecond = withArguments(({ size }) => ({ cost: read(size(1)) }));

/** A character becomes four bytes at most. */
export const textToBytes = withArguments(({ size }) => ({ cost: read(size(0)), size: { min: size(0).min, max: plus(size(0), exactly(0)).max * 4 } }));
export const bytesToText = withArguments(({ size }) => ({ cost: read(size(0)), size: { min: Math.ceil(size(0).min / 4), max: size(0).max } }));

export const readsShorter = withArguments(({ size }) => {
  const max = Math.min(size(0).max, size(1).max);
  return { cost: read({ min: max > 0 ? 1 : 0, max }) };
});

export const joinsTexts = withArguments(({ size }) => {
  const joined = plus(size(0), size(1));
  return { cost: read(joined), size: joined };
});

export const joinsLists = withArguments(({ size }) => ({ cost: one, size: plus(size(0), size(1)) }));

export const readsSecondList = withArguments(({ size }) => ({ cost: size(1) }));

/** `a.contains(b)` */
export const searches = withArguments(({ size }) => ({ cost: times(read(size(0)), read(size(1))) }));

const patternCost = ({ size }: CallSizes): Range => times(read(plus(size(0), one)), byFactor(size(1), patternFactor));

export const matches = withArguments((call) => ({ cost: patternCost(call) }));
/** `a.find(b)`: a part of the first. */
export const finds = withArguments((call) => ({ cost: patternCost(call), size: upTo(call.size(0).max) }));

/** Looks at each element; texts are read. */
export const looksAtElements = withArguments(({ size, elementSize }) => ({ cost: times(size(0), plus(one, read(elementSize(0)))) }));

/** Each with each. */
export const comparesLists = (factor: number): CallEstimator => withArguments(({ size }) => ({ cost: plus(one, times(times(size(0), size(1)), exactly(factor))) }));

/** Texts of a list with something between them. */
export const joinsElements = withArguments(({ size, elementSize, count }) => {
  const separators = count > 1 ? times(size(0), size(1)) : exactly(0);
  const joined = plus(times(size(0), elementSize(0)), separators);
  return { cost: read(joined), size: upTo(joined.max) };
});

export const splits = withArguments(({ size }) => ({ cost: read(size(0)), size: upTo(size(0).max) }));

/** At worst every character is replaced, and there is one more replacement than characters. */
export const replaces = withArguments(({ size }) => ({ cost: read(size(0)), size: upTo(times(plus(size(0), one), plus(size(2), one)).max) }));

/** `a || b`: the second may not be looked at. */
export const firstOrBoth: CallEstimator = ({ costs }) => ({ cost: { min: costs[0]!.min, max: plus(costs[0]!, costs[1]!).max } });

/** `a ? b : c` */
export const oneBranch: CallEstimator = ({ costs, size }) => ({ cost: plus(costs[0]!, either(costs[1]!, costs[2]!)), size: either(size(1), size(2)) });

/** Asking the authorizer is not done many times in one expression. */
export const authorizationCost = 350_000;
export const authorizes = withArguments(() => ({ cost: exactly(authorizationCost) }));
