/**
 * Resource quantities: exact decimal numbers with a suffix (`500m`, `1536Mi`, `1e9`).
 *
 * A quantity keeps the family of its suffix and is written in canonical notation: no fraction, the largest suffix
 * without loss. As upstream does, a text that is canonical by a cheap test is kept unchanged (`1.500`, `+5` stay).
 *
 * @see {@link https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ | Quantity}
 */
import { remembered, textBytes } from '../base/bounded-cache.ts';

/** Go's names for the families of suffixes; '' is a quantity that never had one. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent' | '';

const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const wrongSuffix = "unable to parse quantity's suffix";

/** A text that is no quantity; the messages are upstream's. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
}

const decimalSuffixes = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const binarySuffixes = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
]);
const decimalSuffixOf = new Map([...decimalSuffixes].map(([suffix, exponent]) => [exponent, suffix]));
const binarySuffixOf = ['', ...binarySuffixes.keys()];

/** The smallest power of ten that is kept; what is finer is rounded away from zero. */
const nano = -9;
const maxInt64 = 2n ** 63n - 1n;
const maxFastDigits = 18;
/**
 * @NOTE differs from upstream: exponents and lengths that no number needs are refused instead of being computed with.
 */
const maxExponent = 4096;
const maxTextLength = 256;

export class Quantity {
  /** The number is `unscaled` × 10^`scale`. */
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  #text: string | undefined;

  constructor(unscaled: bigint, scale = 0, format: QuantityFormat = 'DecimalSI', text?: string) {
    this.unscaled = unscaled;
    this.scale = scale;
    this.format = format;
    this.#text = text;
  }

  /** The canonical text. */
  toString(): string {
    this.#text ??= canonicalText(this);
    return this.#text;
  }

  toJSON(): string {
    return this.toString();
  }

  isZero(): boolean {
    return this.unscaled === 0n;
  }

  /** -1, 0 or 1. */
  sign(): number {
    return this.unscaled === 0n ? 0 : this.unscaled < 0n ? -1 : 1;
  }

  /** Less than 0, 0 or greater than 0, as for a sort. */
  compare(other: Quantity | bigint | number): number {
    const that = toQuantity(other);
    const scale = Math.min(this.scale, that.scale);
    const difference = unscaledAt(this, scale) - unscaledAt(that, scale);
    return difference === 0n ? 0 : difference < 0n ? -1 : 1;
  }

  /** The sum; it has this quantity's format unless that is zero. */
  add(other: Quantity): Quantity {
    return this.#combine(other, (a, b) => a + b);
  }

  sub(other: Quantity): Quantity {
    return this.#combine(other, (a, b) => a - b);
  }

  neg(): Quantity {
    return new Quantity(-this.unscaled, this.scale, this.format);
  }

  multiply(factor: bigint | number): Quantity {
    return new Quantity(this.unscaled * BigInt(factor), this.scale, this.format);
  }

  /** In units of 10^`scale`, rounded away from zero. Exact, where Go's would overflow an int64. */
  scaledValue(scale: number): bigint {
    return scale <= this.scale ? unscaledAt(this, scale) : divideUp(this.unscaled, 10n ** BigInt(scale - this.scale));
  }

  /** In whole units, rounded away from zero. */
  value(): bigint {
    return this.scaledValue(0);
  }

  milliValue(): bigint {
    return this.scaledValue(-3);
  }

  /** Rounded away from zero to a multiple of 10^`scale`. Returns itself when nothing is to round. */
  roundUp(scale: number): Quantity {
    return this.scale >= scale ? this : new Quantity(this.scaledValue(scale), scale, this.format);
  }

  isInteger(): boolean {
    return this.scale >= 0 || this.unscaled % 10n ** BigInt(-this.scale) === 0n;
  }

  toNumber(): number {
    return Number(`${this.unscaled}e${this.scale}`);
  }

  #combine(other: Quantity, operation: (a: bigint, b: bigint) => bigint): Quantity {
    const scale = Math.min(this.scale, other.scale);
    return new Quantity(
      operation(unscaledAt(this, scale), unscaledAt(other, scale)),
      scale,
      this.isZero() ? other.format : this.format,
    );
  }
}

const toQuantity = (value: Quantity | bigint | number): Quantity =>
  value instanceof Quantity ? value : new Quantity(BigInt(value));

const unscaledAt = (quantity: Quantity, scale: number): bigint =>
  quantity.scale === scale ? quantity.unscaled : quantity.unscaled * 10n ** BigInt(quantity.scale - scale);

/** Quotient rounded away from zero. */
function divideUp(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  if (quotient * divisor === dividend) return quotient;
  return dividend < 0n ? quotient - 1n : quotient + 1n;
}

/** Reads a quantity. Throws {@link QuantityError}. */
export function parseQuantity(text: string): Quantity {
  if (text === '' || text.length > maxTextLength) throw new QuantityError(wrongFormat);
  if (text === '0') return new Quantity(0n, 0, 'DecimalSI', text);
  const { negative, whole, fraction, suffix } = splitQuantity(text);
  const { base, exponent, format } = readSuffix(suffix);
  const digits = whole + fraction;
  const magnitude = BigInt(digits);
  const signed = negative ? -magnitude : magnitude;
  const fast =
    base === 2
      ? parseBinary(text, signed, whole, fraction, exponent)
      : parseDecimal(text, signed, digits, exponent - fraction.length, format);
  return fast ?? parseSlowly(signed, exponent, fraction.length, base, format);
}

/**
 * Sign, digits before and behind the point, and the rest. The pattern in the error message says what may be left out.
 */
function splitQuantity(text: string): { negative: boolean; whole: string; fraction: string; suffix: string } {
  const match = /^([+-]?)0*(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/.exec(text);
  if (match === null) throw new QuantityError(wrongFormat);
  return {
    negative: match[1] === '-',
    whole: match[2] === '' ? '0' : match[2]!,
    fraction: match[3] ?? '',
    suffix: match[4]!,
  };
}

function readSuffix(suffix: string): { base: 2 | 10; exponent: number; format: QuantityFormat } {
  const binary = binarySuffixes.get(suffix);
  if (binary !== undefined) return { base: 2, exponent: binary, format: 'BinarySI' };
  const decimal = decimalSuffixes.get(suffix);
  if (decimal !== undefined) return { base: 10, exponent: decimal, format: 'DecimalSI' };
  const match = /^[eE]([-+]?\d+)$/.exec(suffix);
  const exponent = match === null ? NaN : Number(match[1]);
  if (!(exponent <= maxExponent)) throw new QuantityError(wrongSuffix);
  return { base: 10, exponent: Math.max(exponent, -maxExponent), format: 'DecimalExponent' };
}

function parseDecimal(
  text: string,
  signed: bigint,
  digits: string,
  scale: number,
  format: QuantityFormat,
): Quantity | undefined {
  if (digits.length > maxFastDigits || scale < nano) return undefined;
  const canonical = scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
  return new Quantity(signed, scale, format, canonical ? text : undefined);
}

function parseBinary(
  text: string,
  signed: bigint,
  whole: string,
  fraction: string,
  exponent: number,
): Quantity | undefined {
  if (fraction !== '' || 14 - whole.length - Math.trunc((exponent * 3) / 10) < 0) return undefined;
  const scaled = signed << BigInt(exponent);
  if (scaled > maxInt64 || scaled < -maxInt64) return undefined;
  return new Quantity(scaled, 0, 'BinarySI', (signed & 7n) === 0n ? undefined : text);
}

/** Numbers with too many digits for the short way: rounded to nano, binary ones capped at 2^63-1. */
function parseSlowly(
  signed: bigint,
  exponent: number,
  fractionDigits: number,
  base: 2 | 10,
  format: QuantityFormat,
): Quantity {
  const negative = signed < 0n;
  let unscaled = negative ? -signed : signed;
  let scale = -fractionDigits;
  if (base === 10) scale += exponent;
  else unscaled <<= BigInt(exponent);
  if (scale < nano && unscaled !== 0n) {
    unscaled = divideUp(unscaled, 10n ** BigInt(nano - scale));
    scale = nano;
  }
  let amount = new Quantity(unscaled, scale, format);
  if (format === 'BinarySI' && amount.compare(maxInt64) > 0) amount = new Quantity(maxInt64, 0, format);
  const family = format === 'BinarySI' && amount.compare(1) < 0 && !amount.isZero() ? 'DecimalSI' : format;
  return new Quantity(negative ? -amount.unscaled : amount.unscaled, amount.scale, family);
}

function canonicalText(quantity: Quantity): string {
  if (quantity.isZero()) return '0';
  if (
    quantity.format === 'BinarySI' &&
    quantity.isInteger() &&
    (quantity.compare(1024) >= 0 || quantity.compare(-1024) <= 0)
  )
    return binaryText(quantity.value());
  const { mantissa, exponent } = canonicalDecimal(quantity);
  const suffix =
    quantity.format === 'DecimalExponent' || quantity.format === '' ? undefined : decimalSuffixOf.get(exponent);
  if (suffix !== undefined) return `${mantissa}${suffix}`;
  return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
}

function binaryText(value: bigint): string {
  let power = 0;
  while (power < 6 && (value & 1023n) === 0n) {
    value >>= 10n;
    power++;
  }
  return `${value}${binarySuffixOf[power]}`;
}

/** No trailing zeros beyond what an exponent divisible by three needs. */
function canonicalDecimal(quantity: Quantity): { mantissa: bigint; exponent: number } {
  let mantissa = quantity.unscaled;
  let exponent = quantity.scale;
  while (mantissa % 10n === 0n) {
    mantissa /= 10n;
    exponent++;
  }
  const excess = ((exponent % 3) + 3) % 3;
  return { mantissa: mantissa * 10n ** BigInt(excess), exponent: exponent - excess };
}

/** The text as upstream prints it after reading it. Throws {@link QuantityError}. Quick for texts seen before. */
export const canonicalQuantity = remembered((text) => parseQuantity(text).toString(), {
  maxBytes: 1024 * 1024,
  maxKeyLength: 64,
  bytesOf: textBytes,
});
