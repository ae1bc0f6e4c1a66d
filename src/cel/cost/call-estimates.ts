/**
 * What calls may cost, from the sizes of what they are given. Together with `sizes.ts`, which says what they do cost.
 */
import { type CelType, sameType } from '../check/types.ts';
import type { CallEstimate, CallEstimator, CallSizes } from './call-sizes.ts';
import { byFactor, either, exactly, nothing, one, plus, type Range, sum, times, unknown, upTo } from './range.ts';
import { patternFactor, selectorCost, traversalFactor } from './sizes.ts';

const read = (size: Range): Range => byFactor(size, traversalFactor);
/** Reading, and making something of the same length. */
const readTwice = (size: Range): Range => byFactor(size, 2 * traversalFactor);

/** Cost of its own beside that of the arguments. */
export const withArguments =
  (own: (call: CallSizes) => { readonly cost: Range; readonly size?: Range }): CallEstimator =>
  (call): CallEstimate => {
    const { cost, size } = own(call);
    return size === undefined ? { cost: plus(sum(call.costs), cost) } : { cost: plus(sum(call.costs), cost), size };
  };

/** A call of one unit. */
export const unit = withArguments(() => ({ cost: one }));

/** Reads the first argument once; the result is as long at most. */
export const readsFirst = withArguments(({ size }) => ({ cost: read(size(0)), size: size(0) }));
/** Reads the first argument and gives no text. */
export const looksThroughFirst = withArguments(({ size }) => ({ cost: read(size(0)) }));
/** Reads the first argument twice. */
export const looksTwiceThroughFirst = withArguments(({ size }) => ({ cost: readTwice(size(0)) }));
/** `a.startsWith(b)` */
export const readsSecond = withArguments(({ size }) => ({ cost: read(size(1)) }));

/** A character becomes four bytes at most. */
export const textToBytes = withArguments(({ size }) => ({
  cost: read(size(0)),
  size: { min: size(0).min, max: times(size(0), exactly(4)).max },
}));
export const bytesToText = withArguments(({ size }) => ({
  cost: read(size(0)),
  size: { min: Math.floor(size(0).min / 4), max: size(0).max },
}));
/** Two quotes, and each character may be escaped. */
export const quotes = withArguments(({ size }) => ({
  cost: read(size(0)),
  size: { min: size(0).min + 2, max: plus(times(size(0), exactly(2)), exactly(2)).max },
}));

const shorter = ({ size }: CallSizes): Range => {
  const max = Math.min(size(0).max, size(1).max);
  return read({ min: max > 0 ? 1 : 0, max });
};

export const readsShorter = withArguments((call) => ({ cost: shorter(call) }));

/** Types of libraries whose values are compared in one step. */
const comparedAtOnce = new Set([
  'net.IP',
  'net.CIDR',
  'kubernetes.Quantity',
  'kubernetes.Semver',
  ...['Authorizer', 'PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map(
    (name) => `kubernetes.authorization.${name}`,
  ),
]);
const longestFormatName = 64;

/** `a == b`. `!=` has no rules of its own for the types of libraries. */
export const equality = withArguments((call) => {
  const [left, right] = call.types as [CelType, CelType];
  if (!sameType(left, right)) return { cost: shorter(call) };
  if (comparedAtOnce.has(left.name)) return { cost: one };
  if (left.name === 'kubernetes.NamedFormat') return { cost: read({ min: 1, max: longestFormatName }) };
  if (left.name === 'kubernetes.URL') return { cost: read({ min: 1, max: call.computedSize(1)?.max ?? 1 }) };
  return { cost: shorter(call) };
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
/** `a.find(b)`: a part of the first, or a part for each character. */
export const finds = withArguments((call) => ({ cost: patternCost(call), size: upTo(call.size(0).max) }));

/** The pattern behind a named format is not known here; it is taken to be long. */
const longestFormatPattern = 128;
export const validates = withArguments(({ size }) => ({
  cost: byFactor(read(size(1)), longestFormatPattern * patternFactor),
}));

/** Looks at each element of a list; elements that are texts are read. */
export const looksAtElements = withArguments((call) => {
  const { kind } = call.types[0]!.parameters[0]!;
  return {
    cost: times(call.size(0), kind === 'string' || kind === 'bytes' ? plus(one, read(call.elementSize(0))) : one),
  };
});

/** Each with each. */
export const comparesLists = (factor: number): CallEstimator =>
  withArguments(({ size }) => ({ cost: plus(one, times(times(size(0), size(1)), exactly(factor))) }));

const oneLess = ({ min, max }: Range): Range => ({ min: Math.max(0, min - 1), max: Math.max(0, max - 1) });

/** Texts of a list with something between them. */
export const joinsElements = withArguments((call) => {
  const separators = call.types.length > 1 ? times(call.size(1), oneLess(call.size(0))) : nothing;
  const joined = plus(times(call.size(0), call.elementSize(0)), separators);
  return { cost: read(joined), size: joined };
});

/** At worst each character is a part, unless the expression says how many parts there are. */
export const splits = withArguments(({ literalInt, size }) => {
  const most = literalInt(2) ?? size(0).max;
  return { cost: readTwice(size(0)), size: upTo(most < 0 ? unknown.max : most) };
});

/** How often something is replaced, and what stays of the text. */
function replacements(
  text: number,
  replaced: number,
  becomesNoWorse: boolean,
): { readonly count: number; readonly kept: number } {
  // Nothing stands around every character.
  if (replaced === 0) return { count: plus(exactly(text), one).max, kept: text };
  return becomesNoWorse ? { count: 0, kept: text } : { count: Math.ceil(text / replaced), kept: 0 };
}

export const replaces = withArguments(({ size }) => {
  const [text, old, by] = [size(0), size(1), size(2)];
  const longest = replacements(text.max, old.min, by.max <= old.min);
  const shortest = replacements(text.min, old.max, old.max <= by.min);
  return {
    cost: readTwice(text),
    size: plus(times({ min: shortest.count, max: longest.count }, by), { min: shortest.kept, max: longest.kept }),
  };
});

/** An address has four bytes or sixteen. */
const addressSize: Range = { min: 4, max: 16 };
const comparesAddresses = read(plus(addressSize, addressSize));
export const containsAddress = withArguments(() => ({ cost: comparesAddresses }));
export const containsAddressText = withArguments(({ size }) => ({ cost: plus(comparesAddresses, read(size(1))) }));
const comparesNetworks = plus(plus(comparesAddresses, read(addressSize)), one);
export const containsNetwork = withArguments(() => ({ cost: comparesNetworks }));
export const containsNetworkText = withArguments(({ size }) => ({ cost: plus(comparesNetworks, read(size(1))) }));

/** `a || b`: the second may not be looked at. */
export const firstOrBoth: CallEstimator = ({ costs }) => ({
  cost: { min: costs[0]!.min, max: plus(costs[0]!, costs[1]!).max },
});

/** `a ? b : c` */
export const oneBranch: CallEstimator = ({ costs, size }) => ({
  cost: plus(costs[0]!, either(costs[1]!, costs[2]!)),
  size: either(size(1), size(2)),
});

/** Asking the authorizer is not done many times in one expression. */
export const authorizationCost = 350_000;
export const authorizes = withArguments(() => ({ cost: exactly(authorizationCost) }));

export const readsSelector = withArguments(({ size }) => ({ cost: selectorCost(size(1)) }));
