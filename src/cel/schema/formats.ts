/** Texts whose schema gives them a format. */
import { DurationParseError, parseDuration } from '../../machinery/duration.ts';
import { CelError, Duration, type Value } from '../values/values.ts';
import { timestampOf } from '../values/time-text.ts';

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

export function readBytes(text: string): Value {
  const plain = text.replaceAll(/[\r\n]/g, '');
  return plain.length % 4 === 0 && base64.test(plain) ? Buffer.from(plain, 'base64') : new CelError('invalid base64');
}

/**
 * No useful time or duration has as many characters: parsing a longer text would only take time.
 *
 * @NOTE differs from upstream: there a fraction of a second may have as many digits as fit into a request.
 */
const maxLength = 1000;

const readShort =
  (what: string, read: (text: string) => Value | undefined) =>
  (text: string): Value =>
    (text.length > maxLength ? undefined : read(text)) ?? new CelError(`invalid ${what}: ${text.slice(0, maxLength)}`);

/** Go's durations, and in words: `5 minutes`. */
const spoken = /^\s*(\d+(?:\.\d+)?)\s*([a-zµμ]+)\s*$/i;
const unitSeconds: Readonly<Record<string, string>> = {
  nanosecond: 'ns',
  nanoseconds: 'ns',
  nanos: 'ns',
  microsecond: 'us',
  microseconds: 'us',
  micros: 'us',
  millisecond: 'ms',
  milliseconds: 'ms',
  millis: 'ms',
  second: 's',
  seconds: 's',
  sec: 's',
  minute: 'm',
  minutes: 'm',
  min: 'm',
  hour: 'h',
  hours: 'h',
  hr: 'h',
};
const longUnits: Readonly<Record<string, number>> = { d: 24, day: 24, days: 24, w: 168, week: 168, weeks: 168 };

export const readDuration = readShort('duration', (text) => {
  try {
    return new Duration(parseDuration(text));
  } catch (error) {
    if (!(error instanceof DurationParseError)) throw error;
    return readSpokenDuration(text);
  }
});

function readSpokenDuration(text: string): Value | undefined {
  const match = spoken.exec(text);
  const unit = match?.[2]!.toLowerCase() ?? '';
  if (match === null) return undefined;
  const hours = longUnits[unit];
  if (hours !== undefined) return new Duration(parseDuration(`${match[1]}h`) * BigInt(hours));
  return unitSeconds[unit] === undefined ? undefined : new Duration(parseDuration(match[1]! + unitSeconds[unit]));
}

export const readDate = readShort('date', (text) => timestampOf(`${text}T00:00:00Z`));

export const readDateTime = readShort('date-time', (text) => timestampOf(text.replace(' ', 'T').toUpperCase()));
