/** What the language itself has for texts, times and sizes. */
import { BoundedCache } from '../../base/bounded-cache.ts';
import {
  type FunctionDeclaration,
  globalOverload,
  type Library,
  memberOverload,
  type Overload,
} from '../check/declarations.ts';
import { type CelType } from '../check/types.ts';
import * as estimates from '../cost/call-estimates.ts';
import { matches, readsFirst, searches } from '../cost/sizes.ts';
import type { Timestamp } from '../values/values.ts';
import { CelError, type Duration, type ListValue, type MapValue, type Value } from '../values/values.ts';
import { work } from '../values/evaluation-limit.ts';
import { lengthInCharacters } from './characters.ts';
import { pattern } from './patterns.ts';
import * as search from './search.ts';
import { B, I, listOfA, mapOfAB, P, S, T, Y } from './signatures.ts';

function sizes(type: CelType, name: string, run: Overload['run']): Overload[] {
  return [globalOverload(`size_${name}`, [type], I, run), memberOverload(`${name}_size`, [type], I, run)];
}

const size: FunctionDeclaration = {
  name: 'size',
  overloads: [
    ...sizes(S, 'string', lengthInCharacters),
    ...sizes(Y, 'bytes', (value: Uint8Array) => value.length),
    ...sizes(listOfA, 'list', (list: ListValue) => list.size),
    ...sizes(mapOfAB, 'map', (map: MapValue) => map.size),
  ],
};

export function matchesPattern(text: string, expression: string): Value {
  const compiled = pattern(expression);
  return compiled instanceof CelError ? compiled : compiled.test(text);
}

/** What is estimated by the part is paid by the text, as upstream has it. */
const affix = { cost: readsFirst as NonNullable<Overload['cost']>, estimate: estimates.readsSecond };
const matching = { cost: matches as Overload['cost'], estimate: estimates.matches } as Partial<Overload>;

const texts: readonly FunctionDeclaration[] = [
  {
    name: 'contains',
    overloads: [
      memberOverload('contains_string', [S, S], B, (text: string, part: string) => search.indexOf(text, part) >= 0, {
        cost: searches as NonNullable<Overload['cost']>,
        estimate: estimates.searches,
      }),
    ],
  },
  {
    name: 'startsWith',
    overloads: [
      memberOverload('starts_with_string', [S, S], B, (text: string, part: string) => text.startsWith(part), affix),
    ],
  },
  {
    name: 'endsWith',
    overloads: [
      memberOverload('ends_with_string', [S, S], B, (text: string, part: string) => text.endsWith(part), affix),
    ],
  },
  {
    name: 'matches',
    overloads: [
      memberOverload('matches_string', [S, S], B, matchesPattern, matching),
      globalOverload('matches', [S, S], B, matchesPattern, { cost: matches as NonNullable<Overload['cost']> }),
    ],
  },
];

interface Civil {
  readonly date: Date;
  readonly nanos: number;
}

const fixedOffset = /^([+-]?)(\d\d):(\d\d)$/;
/** A name may be written in many ways, in capitals and without. A format takes about 100 kB outside of the heap. */
const zoneFormats = new BoundedCache<Intl.DateTimeFormat>({
  maxBytes: 10 * 1024 * 1024,
  maxKeyLength: 64,
  bytesOf: () => 100 * 1024,
});
const stepsPerZone = 5000;
/** Asking for the offset of a time. */
const stepsPerOffset = 100;

/** The clock of a time zone, as a date whose UTC fields show it. */
function civil({ seconds, nanos }: Timestamp, zone: string): Civil | CelError {
  const ms = seconds * 1000;
  if (zone === '' || zone === 'UTC') return { date: new Date(ms), nanos };
  const offset = fixedOffset.exec(zone);
  if (offset !== null) {
    const minutes = (offset[1] === '-' ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3]));
    return { date: new Date(ms + minutes * 60_000), nanos };
  }
  const format = zoneFormat(zone);
  return format === undefined
    ? new CelError(`unknown time zone ${zone}`)
    : { date: new Date(ms + offsetOf(format, ms)), nanos };
}

function zoneFormat(zone: string): Intl.DateTimeFormat | undefined {
  const known = zoneFormats.get(zone);
  if (known !== undefined) return known;
  work(stepsPerZone);
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    zoneFormats.set(zone, format);
    return format;
  } catch {
    return undefined;
  }
}

function offsetOf(format: Intl.DateTimeFormat, ms: number): number {
  work(stepsPerOffset);
  const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')!.value;
  const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?/.exec(name);
  if (match?.[1] === undefined) return 0;
  return (match[1] === '-' ? -1000 : 1000) * (Number(match[2]) * 3600 + Number(match[3]) * 60 + Number(match[4] ?? 0));
}

const dayMs = 86_400_000;
const startOfYear = (date: Date): number => new Date(0).setUTCFullYear(date.getUTCFullYear(), 0, 1);

const parts: readonly (readonly [string, (at: Civil) => number])[] = [
  ['getFullYear', ({ date }) => date.getUTCFullYear()],
  ['getMonth', ({ date }) => date.getUTCMonth()],
  ['getDate', ({ date }) => date.getUTCDate()],
  ['getDayOfMonth', ({ date }) => date.getUTCDate() - 1],
  ['getDayOfWeek', ({ date }) => date.getUTCDay()],
  ['getDayOfYear', ({ date }) => Math.floor((date.getTime() - startOfYear(date)) / dayMs)],
  ['getHours', ({ date }) => date.getUTCHours()],
  ['getMinutes', ({ date }) => date.getUTCMinutes()],
  ['getSeconds', ({ date }) => date.getUTCSeconds()],
  ['getMilliseconds', ({ nanos }) => Math.trunc(nanos / 1e6)],
];

/** How many whole units a duration has; of milliseconds what is beyond the second. */
const durationParts: Readonly<Record<string, (nanos: bigint) => bigint>> = {
  getHours: (nanos) => nanos / 3_600_000_000_000n,
  getMinutes: (nanos) => nanos / 60_000_000_000n,
  getSeconds: (nanos) => nanos / 1_000_000_000n,
  getMilliseconds: (nanos) => (nanos % 1_000_000_000n) / 1_000_000n,
};

const times: readonly FunctionDeclaration[] = parts.map(([name, part]) => {
  const run = (time: Timestamp, zone = ''): Value => {
    const at = civil(time, zone);
    return at instanceof CelError ? at : part(at);
  };
  const ofDuration = durationParts[name];
  const overloads = [
    memberOverload(`timestamp_to_${name}`, [T], I, run),
    memberOverload(`timestamp_to_${name}_with_tz`, [T, S], I, run),
  ];
  if (ofDuration !== undefined)
    overloads.push(memberOverload(`duration_to_${name}`, [P], I, ({ nanos }: Duration) => Number(ofDuration(nanos))));
  return { name, overloads };
});

export const standardFunctions: Library = { functions: [size, ...texts, ...times] };
