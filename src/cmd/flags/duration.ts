/**
 * Durations as flags write them: `1h2m3.5s`, `250ms`, `-5s`. Go's notation, because flag files are shared with Go
 * programs.
 *
 * @see {@link https://pkg.go.dev/time#ParseDuration | time.ParseDuration}
 */

const nanosPerUnit: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};
/** Go keeps durations in an int64 of nanoseconds, about 292 years. */
const maxNanos = 2 ** 63;
const nanosPerMilli = 1e6;

/** Reads a duration into milliseconds. Throws with Go's wording. */
export function parseDuration(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1;
  let rest = text.replace(/^[-+]/, '');
  if (rest === '0') return 0;
  if (rest === '') throw invalid(text);
  let nanos = 0;
  while (rest !== '') {
    const part = /^(\d+\.?\d*|\.\d+)([^\d.]*)/.exec(rest);
    if (!part) throw invalid(text);
    nanos += Number(part[1]) * unitNanos(part[2]!, text);
    rest = rest.slice(part[0].length);
  }
  if (nanos >= maxNanos) throw invalid(text);
  return (sign * nanos) / nanosPerMilli;
}

function unitNanos(unit: string, text: string): number {
  if (unit === '') throw new Error(`time: missing unit in duration "${text}"`);
  const nanos = Object.hasOwn(nanosPerUnit, unit) ? nanosPerUnit[unit] : undefined;
  if (nanos === undefined) throw new Error(`time: unknown unit "${unit}" in duration "${text}"`);
  return nanos;
}

const invalid = (text: string): Error => new Error(`time: invalid duration "${text}"`);

/** `90000` → `1m30s`, `300000` → `5m0s`, `250` → `250ms`: as Go prints it. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0s';
  const sign = milliseconds < 0 ? '-' : '';
  const millis = Math.abs(milliseconds);
  if (millis < 0.001) return `${sign}${round(millis * 1e6)}ns`;
  if (millis < 1) return `${sign}${round(millis * 1e3)}µs`;
  if (millis < 1000) return `${sign}${round(millis)}ms`;
  const hours = Math.floor(millis / 3_600_000);
  const minutes = Math.floor(millis / 60_000) % 60;
  const seconds = `${round((millis % 60_000) / 1000)}s`;
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${sign}${minutes}m${seconds}` : `${sign}${seconds}`;
}

/** Nine digits after the point at most, as nanoseconds allow. */
const round = (value: number): number => Number(value.toFixed(9));
