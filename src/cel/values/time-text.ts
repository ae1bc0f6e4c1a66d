/** Times and durations as texts. */
import { formatTime, parseTime, TimeParseError } from '../../machinery/time.ts';
import { Timestamp } from './values.ts';

const minSeconds = -62135596800;
const maxSeconds = 253402300799;

/** Undefined for what is no RFC 3339 time of the years 1 to 9999. */
export function timestampOf(text: string): Timestamp | undefined {
  try {
    const { seconds, nanos } = parseTime(text);
    return seconds >= minSeconds && seconds <= maxSeconds ? new Timestamp(seconds, nanos) : undefined;
  } catch (error) {
    if (error instanceof TimeParseError) return undefined;
    throw error;
  }
}

export function timestampText({ seconds, nanos }: Timestamp): string {
  const text = formatTime(seconds);
  return nanos === 0 ? text : `${text.slice(0, -1)}.${String(nanos).padStart(9, '0').replace(/0+$/, '')}Z`;
}

/** `1.5s` */
export function durationText(nanos: bigint): string {
  const magnitude = nanos < 0n ? -nanos : nanos;
  const fraction = String(magnitude % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${nanos < 0n ? '-' : ''}${magnitude / 1_000_000_000n}${fraction === '' ? '' : `.${fraction}`}s`;
}
