/**
 * What a flag is, and one constructor per kind of value. A table of flags is an object: its keys are the names of the
 * options a program reads, its values say how they are written on the command line. The options' types are derived from
 * it.
 */
import { formatDuration, parseDuration } from './duration.ts';
import {
  parseBool,
  parseBytes,
  parseCsv,
  parseFloatValue,
  parseInt32,
  parseInteger,
  parseIp,
  parsePortRange,
} from './values.ts';
import type { PortRange } from './values.ts';

/**
 * Whether giving the flag has its effect.
 *
 * - `supported`: it does.
 * - `unsupported`: refused with a message that names the flag, so that no user relies on an effect that does not exist.
 * - `ignored`: about something this runtime does not have (Go's profiler, glog files): accepted with a warning.
 */
export type Support = 'supported' | 'unsupported' | 'ignored';

export interface FlagOptions {
  /** What it is for, one or two sentences. */
  readonly help: string;
  /** Other names for the same flag, without dashes. */
  readonly alias?: string | readonly string[];
  /** A one-letter name, without dash. */
  readonly shorthand?: string;
  /** What to do instead. The flag still does what `support` says. */
  readonly deprecated?: string;
}

export interface Flag<T = unknown> {
  readonly name: string;
  readonly support: Support;
  readonly help: string;
  readonly aliases: readonly string[];
  readonly shorthand: string | undefined;
  readonly deprecated: string | undefined;
  /** How the help calls the value; empty for switches. */
  readonly type: string;
  readonly default: T;
  /** The value when the flag stands alone. Flags without it take the next argument. */
  readonly bareValue: string | undefined;
  /** Reads one occurrence; `before` is the value after the previous occurrence, undefined at the first. Throws. */
  parse(text: string, before: T | undefined): T;
  /** The default as the help shows it; empty when there is nothing to show. */
  format(value: T): string;
}

/** A heading of the help and the flags under it. The key is the name of the group in the parsed options. */
export interface Section<F extends FlagTable = FlagTable> {
  readonly title: string;
  readonly flags: F;
}
export type FlagTable = Readonly<Record<string, Flag>>;
export type Sections = Readonly<Record<string, Section>>;

export type OptionsOf<S extends Sections> = { readonly [K in keyof S]: ValuesOf<S[K]['flags']> };
export type ValuesOf<F extends FlagTable> = { readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never };

export const section = <F extends FlagTable>(title: string, flags: F): Section<F> => ({ title, flags });

/** The same flag with another default, for a program that starts from different circumstances. */
export const withDefault = <T>(flag: Flag<T>, value: T): Flag<T> => ({ ...flag, default: value });

interface Kind<T> {
  readonly type: string;
  readonly bareValue?: string;
  parse(text: string, before: T | undefined): T;
  format(value: T): string;
}

/** Any flag, from what its kind of value needs. The constructors below cover the usual kinds. */
export function customFlag<T>(
  name: string,
  support: Support,
  options: FlagOptions & { default: T },
  kind: Kind<T>,
): Flag<T> {
  return {
    name,
    support,
    help: options.help,
    aliases: options.alias === undefined ? [] : [options.alias].flat(),
    shorthand: options.shorthand,
    deprecated: options.deprecated,
    default: options.default,
    bareValue: undefined,
    ...kind,
  };
}

type WithDefault<T> = FlagOptions & { readonly default: T };

export const bool = (name: string, support: Support, options: FlagOptions & { default?: boolean }): Flag<boolean> =>
  customFlag(
    name,
    support,
    { default: false, ...options },
    { type: '', bareValue: 'true', parse: parseBool, format: (value) => (value ? 'true' : '') },
  );

export const int = (name: string, support: Support, options: FlagOptions & { default?: number }): Flag<number> =>
  customFlag(
    name,
    support,
    { default: 0, ...options },
    { type: 'int', parse: parseInteger, format: (value) => (value === 0 ? '' : String(value)) },
  );

/** As `int`, within 32 bits. */
export const int32 = (name: string, support: Support, options: FlagOptions & { default?: number }): Flag<number> =>
  customFlag(
    name,
    support,
    { default: 0, ...options },
    { type: 'int32', parse: parseInt32, format: (value) => (value === 0 ? '' : String(value)) },
  );

export const float = (name: string, support: Support, options: FlagOptions & { default?: number }): Flag<number> =>
  customFlag(
    name,
    support,
    { default: 0, ...options },
    { type: 'float', parse: parseFloatValue, format: (value) => (value === 0 ? '' : String(value)) },
  );

/** A number of bytes, such as `64Ki`. */
export const quantity = (name: string, support: Support, options: FlagOptions): Flag<number> =>
  customFlag(
    name,
    support,
    { ...options, default: 0 },
    { type: 'quantity', parse: parseBytes, format: (value) => (value === 0 ? '' : String(value)) },
  );

/** In milliseconds, so its option's name ends with `Ms`. The default is written as on the command line. */
export const duration = (name: string, support: Support, options: FlagOptions & { default?: string }): Flag<number> =>
  customFlag(
    name,
    support,
    { ...options, default: parseDuration(options.default ?? '0') },
    { type: 'duration', parse: parseDuration, format: (value) => (value === 0 ? '' : formatDuration(value)) },
  );

export const text = (name: string, support: Support, options: WithDefault<string>): Flag<string> =>
  customFlag(name, support, options, {
    type: 'string',
    parse: (value) => value,
    format: (value) => (value === '' ? '' : `"${value}"`),
  });

const unset = (): string => '';

/** Undefined when not given or given empty. */
export const optionalText = (
  name: string,
  support: Support,
  options: FlagOptions,
  type = 'string',
): Flag<string | undefined> =>
  customFlag<string | undefined>(
    name,
    support,
    { ...options, default: undefined },
    { type, parse: (value) => value || undefined, format: unset },
  );

export const file = (name: string, support: Support, options: FlagOptions): Flag<string | undefined> =>
  optionalText(name, support, options, 'file');

export const ip = (name: string, support: Support, options: WithDefault<string>): Flag<string> =>
  customFlag(name, support, options, { type: 'ip', parse: parseIp, format: (value) => value });

export const optionalIp = (name: string, support: Support, options: FlagOptions): Flag<string | undefined> =>
  customFlag<string | undefined>(
    name,
    support,
    { ...options, default: undefined },
    { type: 'ip', parse: parseIp, format: unset },
  );

/** Comma separated and repeatable. The first occurrence replaces the default, later ones append. */
export const strings = (
  name: string,
  support: Support,
  options: FlagOptions & { default?: readonly string[] },
): Flag<readonly string[]> =>
  customFlag<readonly string[]>(
    name,
    support,
    { default: [], ...options },
    {
      type: 'strings',
      parse: (value, before = []) => [...before, ...parseCsv(value)],
      format: (value) => (value.length === 0 ? '' : `[${value.join(',')}]`),
    },
  );

/** Repeatable; a comma is part of the value. */
export const repeated = (name: string, support: Support, options: FlagOptions): Flag<readonly string[]> =>
  customFlag<readonly string[]>(
    name,
    support,
    { ...options, default: [] },
    { type: 'string', parse: (value, before = []) => [...before, value], format: unset },
  );

/** `key=value`, comma separated and repeatable. */
export const pairs = (name: string, support: Support, options: FlagOptions): Flag<ReadonlyMap<string, string>> =>
  customFlag<ReadonlyMap<string, string>>(
    name,
    support,
    { ...options, default: new Map() },
    {
      type: 'key=value',
      parse: (value, before = new Map()) => new Map([...before, ...value.split(',').filter(Boolean).map(parsePair)]),
      format: unset,
    },
  );

/**
 * As `pairs`, for values with commas in them: one pair as it is, several each in double quotes where it has a comma.
 */
export const textPairs = (name: string, support: Support, options: FlagOptions): Flag<ReadonlyMap<string, string>> =>
  customFlag<ReadonlyMap<string, string>>(
    name,
    support,
    { ...options, default: new Map() },
    {
      type: 'key=value',
      parse: (value, before = new Map()) =>
        new Map([
          ...before,
          ...(value.split('=').length === 2 ? [value.replace(/^"+|"+$/g, '')] : parseCsv(value)).map(parseTextPair),
        ]),
      format: unset,
    },
  );

function parseTextPair(pair: string): [string, string] {
  const equals = pair.indexOf('=');
  if (equals < 0) throw new Error(`${pair} must be formatted as key=value`);
  return [pair.slice(0, equals), pair.slice(equals + 1)];
}

function parsePair(pair: string): [string, string] {
  const equals = pair.indexOf('=');
  if (equals < 0) throw new Error('malformed pair, expect string=string');
  return [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
}

/** An empty value means the default. */
export const portRange = (name: string, support: Support, options: WithDefault<PortRange>): Flag<PortRange> =>
  customFlag(name, support, options, {
    type: 'portRange',
    parse: (value) => (value === '' ? options.default : parsePortRange(value)),
    format: ({ first, last }) => `${first}-${last}`,
  });
