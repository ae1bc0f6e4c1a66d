/** Wall-clock time in microseconds, and its text. Events are many, so the text of a second is made once, and
 * that of a moment that comes twice in a row. */
import { formatTime } from '../../machinery/time.ts';

/** Milliseconds between the monotonic clock's zero and 1970. It changes with the system's clock, which may be set. */
let offsetMs = performance.timeOrigin;

/** The system's clock has whole milliseconds: a smaller difference is no news. */
const toleratedMs = 2;

/** @param monotonicMs a moment of `performance.now()`. @returns microseconds since 1970 */
export function microsOf(monotonicMs: number): number {
  return Math.floor((monotonicMs + offsetMs) * 1000);
}

/** Microseconds since 1970. */
export function nowMicros(): number {
  const monotonicMs = performance.now();
  const wallMs = Date.now();
  if (Math.abs(monotonicMs + offsetMs - wallMs) > toleratedMs) offsetMs = wallMs - monotonicMs;
  return microsOf(monotonicMs);
}

let lastSecond = NaN;
let lastSecondText = '';
let lastMicros = NaN;
let lastText = '';

/** `2006-01-02T15:04:05.000000Z` */
export function microTimeText(micros: number): string {
  if (micros === lastMicros) return lastText;
  const second = Math.floor(micros / 1_000_000);
  if (second !== lastSecond) {
    lastSecondText = `${formatTime(second).slice(0, -1)}.`;
    lastSecond = second;
  }
  lastMicros = micros;
  return (lastText = `${lastSecondText}${String(micros - second * 1_000_000).padStart(6, '0')}Z`);
}
