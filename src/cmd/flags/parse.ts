/**
 * Reads a command line by a table of flags, as pflag does: `--flag value`, `--flag=value`, switches alone or `=false`,
 * `-v 2`, `-v=2`, `-v2`, `_` for `-` in names, operands between flags, `--` ends the flags.
 *
 * @see {@link https://pkg.go.dev/github.com/spf13/pflag#readme-command-line-flag-syntax | pflag: command line flag
 *   syntax}
 */
import type { Flag, OptionsOf, Sections } from './flag.ts';
import { nearest } from './nearest.ts';

/** What is wrong with a command line, a line per problem. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
    this.problems = problems;
  }
}

/** The flags that were given: by their name, how they were written (`--etcd-servers` for `store-servers`). */
export type GivenFlags = ReadonlyMap<string, string>;

export interface ParsedFlags<S extends Sections> {
  readonly options: OptionsOf<S>;
  readonly given: GivenFlags;
  /** A sentence per flag that is deprecated or has no meaning here. */
  readonly warnings: readonly string[];
  readonly operands: readonly string[];
}

/**
 * Throws {@link FlagError}: at the first argument that cannot be read, else for all flags that are not supported yet.
 */
export function parseFlags<S extends Sections>(sections: S, argv: readonly string[]): ParsedFlags<S> {
  const reader = new Reader(sections);
  const operands = reader.read(argv);
  const seen = [...reader.seen];
  const refused = seen.filter(([flag]) => flag.support === 'unsupported');
  if (refused.length > 0)
    throw new FlagError(refused.map(([, { written }]) => `${written} is not supported by this version yet`));
  return {
    options: collect(sections, reader.seen),
    given: new Map(seen.map(([flag, { written }]) => [flag.name, written])),
    warnings: seen.flatMap(([flag, { written }]) => warningsOf(flag, written)),
    operands,
  };
}

/** One-line explanation why a value was not taken, with the flag as it was written. */
export const invalidArgument = (value: string, written: string, reason: string): string =>
  `invalid argument ${JSON.stringify(value)} for "${written}" flag: ${reason}`;

interface Occurrence {
  readonly written: string;
  readonly value: unknown;
}

class Reader {
  readonly seen = new Map<Flag, Occurrence>();
  readonly #byName = new Map<string, Flag>();
  readonly #byShorthand = new Map<string, Flag>();

  constructor(sections: Sections) {
    for (const flag of flagsOf(sections)) {
      for (const name of [flag.name, ...flag.aliases]) this.#byName.set(name, flag);
      if (flag.shorthand !== undefined) this.#byShorthand.set(flag.shorthand, flag);
    }
  }

  /** Returns the operands. */
  read(argv: readonly string[]): string[] {
    const operands: string[] = [];
    const rest = [...argv];
    for (;;) {
      const argument = rest.shift();
      if (argument === undefined) return operands;
      if (argument === '--') return [...operands, ...rest];
      if (argument.startsWith('--')) this.#long(argument, rest);
      else if (argument.startsWith('-') && argument !== '-') this.#short(argument, rest);
      else operands.push(argument);
    }
  }

  #long(argument: string, rest: string[]): void {
    if (/^--[-=]/.test(argument)) throw new FlagError([`bad flag syntax: ${argument}`]);
    const equals = argument.indexOf('=');
    const name = argument.slice(2, equals < 0 ? undefined : equals).replaceAll('_', '-');
    const flag = this.#byName.get(name);
    if (!flag) throw new FlagError([unknownFlag(name, this.#byName.keys())]);
    const attached = equals < 0 ? undefined : argument.slice(equals + 1);
    this.#set(flag, `--${name}`, attached ?? flag.bareValue ?? this.#next(rest, `flag needs an argument: --${name}`));
  }

  /** `-abc` may be three switches, or switch a with… until one of them takes a value: that is all the rest. */
  #short(argument: string, rest: string[]): void {
    for (let letters = argument.slice(1); letters !== ''; letters = letters.slice(1)) {
      const letter = letters[0]!;
      const flag = this.#byShorthand.get(letter);
      if (!flag) throw new FlagError([`unknown shorthand flag: '${letter}' in ${argument}`]);
      const after = letters.slice(1);
      const written = `-${letter}, --${flag.name}`;
      if (after.startsWith('=')) return this.#set(flag, written, after.slice(1));
      if (flag.bareValue === undefined) {
        return this.#set(
          flag,
          written,
          after !== '' ? after : this.#next(rest, `flag needs an argument: '${letter}' in ${argument}`),
        );
      }
      this.#set(flag, written, flag.bareValue);
    }
  }

  #next(rest: string[], problem: string): string {
    const value = rest.shift();
    if (value === undefined) throw new FlagError([problem]);
    return value;
  }

  #set(flag: Flag, written: string, value: string): void {
    try {
      this.seen.set(flag, { written, value: flag.parse(value, this.seen.get(flag)?.value) });
    } catch (error) {
      throw new FlagError([invalidArgument(value, written, (error as Error).message)]);
    }
  }
}

export const flagsOf = (sections: Sections): Flag[] =>
  Object.values(sections).flatMap((section) => Object.values(section.flags));

function unknownFlag(name: string, known: Iterable<string>): string {
  const guess = nearest(name, known);
  return guess === undefined ? `unknown flag: --${name}` : `unknown flag: --${name} (did you mean --${guess}?)`;
}

function warningsOf(flag: Flag, written: string): string[] {
  if (flag.support === 'ignored') return [`${written} has no meaning in this runtime and is ignored`];
  return flag.deprecated === undefined ? [] : [`Flag ${written} has been deprecated, ${flag.deprecated}`];
}

function collect<S extends Sections>(sections: S, seen: ReadonlyMap<Flag, Occurrence>): OptionsOf<S> {
  const options = mapValues(sections, ({ flags }) =>
    mapValues(flags, (flag) => (seen.has(flag) ? seen.get(flag)!.value : flag.default)),
  );
  return options as OptionsOf<S>;
}

const mapValues = <V, R>(record: Readonly<Record<string, V>>, change: (value: V) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
