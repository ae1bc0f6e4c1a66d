/**
 * Durations as Go writes them: `1h5m30s`, `1.5s`, `300ms`.
 *
 * In nanoseconds, as bigints because the longest are beyond what a number holds exactly.
 * @see {@link https://pkg.go.dev/time#ParseDuration | time.ParseDuration}
 */
import { quoteTimeText } from './time.ts';

/** A text that is no duration; the messages are Go's. */
export class DurationParseError extends Error {
  override readonly name = 'DurationParseError';
}

const units = new Map<string, bigint>([
  ['ns', 1n],
  ['us', 1000n],
  ['µs', 1000n],
  ['μs', 1000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
const limit = 2n ** 63n;

/** Nanoseconds. Throws {@link DurationParseError}. */
export function parseDuration(text: string): bigint {
  const negative = text.startsWith('-');
  let rest = negative || text.startsWith('+') ? text.slice(1) : text;
  if (rest === '0') return 0n;
  if (rest === '') throw invalid(text);
  let total = 0n;
  while (rest !== '') {
    const number = /^(\d*)(?:\.(\d*))?/.exec(rest)!;
    const fraction = number[2] ?? '';
    if (number[1] === '' && fraction === '') throw invalid(text);
    rest = rest.slice(number[0].length);
    const unit = /^[^.\d]*/.exec(rest)![0];
    if (unit === '') throw new DurationParseError(`time: missing unit in duration ${quoteTimeText(text)}`);
    const scale = units.get(unit);
    if (scale === undefined)
      throw new DurationParseError(`time: unknown unit ${quoteTimeText(unit)} in duration ${quoteTimeText(text)}`);
    total += BigInt(number[1]!.slice(0, 40) || '0') * scale + fractionOf(fraction.slice(0, 18), scale);
    if (total > limit || number[1]!.length > 40) throw invalid(text);
    rest = rest.slice(unit.length);
  }
  if (!negative && total === limit) throw invalid(text);
  return negative ? -total : total;
}

const fractionOf = (digits: string, scale: bigint): bigint =>
  digits === '' ? 0n : (BigInt(digits) * scale) / 10n ** BigInt(digits.length);

const invalid = (text: string): DurationParseError =>
  new DurationParseError(`time: invalid duration ${quoteTimeText(text)}`);

export function formatDuration(nanoseconds: bigint | number): string {
  const value = BigInt(nanoseconds);
  if (value === 0n) return '0s';
  const magnitude = value < 0n ? -value : value;
  const sign = value < 0n ? '-' : '';
  if (magnitude < 1000n) return `${sign}${magnitude}ns`;
  if (magnitude < 1_000_000n) return `${sign}${decimal(magnitude, 1000n, 3)}µs`;
  if (magnitude < 1_000_000_000n) return `${sign}${decimal(magnitude, 1_000_000n, 6)}ms`;
  const minutes = magnitude / 60_000_000_000n;
  const seconds = `${decimal(magnitude % 60_000_000_000n, 1_000_000_000n, 9)}s`;
  if (minutes === 0n) return `${sign}${seconds}`;
  const hours = minutes / 60n;
  return hours === 0n ? `${sign}${minutes}m${seconds}` : `${sign}${hours}h${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, unit: bigint, digits: number): string {
  const fraction = String(value % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return fraction === '' ? `${value / unit}` : `${value / unit}.${fraction}`;
}
