/** What is true of the table of flags of every daemon. */
import type { Sections, Support } from '../flag.ts';
import { formatHelp } from '../help.ts';
import { flagsOf } from '../parse.ts';

/** Names and aliases that two flags have. */
export function repeatedNames(table: Sections): string[] {
  const names = flagsOf(table).flatMap(({ name, aliases }) => [name, ...aliases]);
  return names.filter((name, index) => names.indexOf(name) !== index);
}

/** Flags whose help is no sentence, or that the help of the daemon does not show. */
export function unexplained(table: Sections): string[] {
  const shown = formatHelp(table);
  return flagsOf(table)
    .filter(({ name, help }) => !/^\S.*\.$/.test(help) || !shown.includes(`--${name}`))
    .map(({ name }) => name);
}

/** In the order of their names. */
export const namesOf = (table: Sections, support: Support): string[] =>
  flagsOf(table)
    .filter((flag) => flag.support === support)
    .map(({ name }) => name)
    .sort();
