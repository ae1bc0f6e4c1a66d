/** Makes statuses and texts comparable: what differs between runs becomes a placeholder, numbered within one value. */
import type { JsonValue } from '../../src/machinery/value.ts';

const uid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** Of another version of the same program. */
const imageSize = /Image size: \d+ bytes/;

export interface MaskOptions {
  readonly hostIP: string;
  /** `10.90.` */
  readonly podPrefix: string;
  /** Values of this run that recordings have a name for. */
  readonly names: readonly (readonly [string, string])[];
}

/** A value of this run. */
export function maskedValue(value: JsonValue, options: MaskOptions): JsonValue {
  return numbered(
    mapped(value, (text) => {
      let masked = text;
      for (const [part, name] of options.names) masked = masked.replaceAll(part, name);
      return masked
        .replace(time, '<time>')
        .replace(uid, (found) => `<uid:${found}>`)
        .replace(/\b[0-9a-f]{64}\b/g, (found) => `<id:${found}>`)
        .replace(/\b[0-9a-f]{32}\b/g, (found) => `<hash:${found}>`)
        .replace(/used: \d+, capacity: \d+/g, 'used: <n>, capacity: <n>')
        .replace(/ in \S+ \(\S+ including waiting\)/, ' in <duration> (<duration> including waiting)')
        .replace(imageSize, 'Image size: <n> bytes')
        .replaceAll(options.hostIP, '<hostip>')
        .replace(new RegExp(`\\b${options.podPrefix.replaceAll('.', '\\.')}\\d+\\.\\d+\\b`, 'g'), (ip) => `<ip:${ip}>`);
    }),
  );
}

/** A recorded value. */
export const recordedValue = (value: JsonValue): JsonValue =>
  numbered(mapped(value, (text) => text.replace(imageSize, 'Image size: <n> bytes')));

/** The same numbers wherever the same things are the same. */
function numbered(value: JsonValue): JsonValue {
  const numbers = new Map<string, number>();
  const counts = new Map<string, number>();
  return mapped(sorted(value), (text) =>
    text.replace(/<(uid|id|hash|ip):([^>]*)>/g, (whole, kind: string) => {
      let number = numbers.get(whole);
      if (number === undefined) {
        number = (counts.get(kind) ?? 0) + 1;
        counts.set(kind, number);
        numbers.set(whole, number);
      }
      return `<${kind}:${number}>`;
    }),
  );
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member ?? null)]),
  );
}

function mapped(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapped(member ?? null, change)]));
}
