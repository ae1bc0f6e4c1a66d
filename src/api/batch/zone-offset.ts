/** How far the local time of a time zone is ahead of UTC. */
import { BoundedCache } from '../../base/bounded-cache.ts';

/** @param atMs since 1970 @returns milliseconds */
export type ZoneOffset = (atMs: number) => number;

const utcNames: ReadonlySet<string> = new Set(['UTC', 'Etc/UTC', 'UCT', 'Etc/UCT', 'Zulu', 'Etc/Zulu']);

/** In our time all zones change their offset at a quarter of an hour. */
const stepMs = 15 * 60_000;
/** Offsets that are remembered, of all zones together. */
const maxBytes = 1 << 20;
const offsets = new BoundedCache<number>({ maxBytes, maxKeyLength: 100 });

/** Callers ask for names that are in the database: there are not more of them than that has. */
const zones = new Map<string | undefined, ZoneOffset>();

/**
 * @param name from the IANA Time Zone Database; the zone of this process when absent
 * Throws a RangeError for a name that the runtime does not know.
 */
export function zoneOffset(name?: string): ZoneOffset {
  let offset = zones.get(name);
  if (offset === undefined) zones.set(name, (offset = createOffset(name)));
  return offset;
}

function createOffset(name: string | undefined): ZoneOffset {
  if (name !== undefined && utcNames.has(name)) return () => 0;
  const format = new Intl.DateTimeFormat('en-US', {
    ...(name === undefined ? {} : { timeZone: name }),
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const { timeZone } = format.resolvedOptions();
  return (atMs) => {
    const step = Math.floor(atMs / stepMs);
    const key = `${timeZone} ${step}`;
    const known = offsets.get(key);
    if (known !== undefined) return known;
    const offset = computeOffset(format, step * stepMs);
    offsets.set(key, offset);
    return offset;
  };
}

function computeOffset(format: Intl.DateTimeFormat, atMs: number): number {
  const parts: Record<string, string> = {};
  for (const { type, value } of format.formatToParts(atMs)) parts[type] = value;
  const { year, month, day, hour, minute, second } = parts;
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)) - atMs;
}
