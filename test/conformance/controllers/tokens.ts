/**
 * Values that differ from run to run, written as the recordings write them. In a recording the part after the colon is
 * a number, here it is the value itself; only which ones are equal counts (see `unify.ts`).
 */

/** Kinds of placeholders that stand for the same value wherever they have the same number. */
const tokenPattern = /<(uid|ip|nodePort|random|node|hash|minutes):([^<>]+)>/;

const generated = '[bcdfghjklmnpqrstvwxz2456789]';

const rules: readonly (readonly [pattern: string, placeholder: (value: string) => string])[] = [
  [String.raw`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`, (value) => `<uid:${value}>`],
  [String.raw`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`, () => '<time>'],
  // The service range of the cluster.
  [String.raw`\b10\.0\.0\.\d{1,3}\b`, (value) => `<ip:${value}>`],
  // A Job of a CronJob is named after the minutes since 1970.
  [String.raw`(?<=[a-z]-)[23]\d{7}(?![\w.])`, (value) => `<minutes:${value}>`],
  // Hashes of templates are decimal numbers in the alphabet of generated names.
  [String.raw`(?<=-|^)${generated}{6,10}(?![\w.])`, (value) => `<hash:${value}>`],
  [String.raw`(?<=[\w>]-)${generated}{5}(?![\w.])`, (value) => `<random:${value}>`],
];

/** What is in a placeholder already is left alone. */
const compiled = rules.map(
  ([pattern, by]) => [new RegExp(String.raw`<[a-zA-Z]+(?::[^<>]*)?>|${pattern}`, 'g'), by] as const,
);

const escapeRegex = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Writes what differs from run to run as placeholders. */
export class Masks {
  readonly #own: RegExp;
  readonly #nodes: RegExp | undefined;

  /**
   * @param own the token of the case
   * @param nodes names of nodes that stand for each other
   */
  constructor(own: string, nodes: readonly string[] = []) {
    this.#own = new RegExp(escapeRegex(own), 'g');
    this.#nodes =
      nodes.length === 0 ? undefined : new RegExp(`(?<![\\w-])(?:${nodes.map(escapeRegex).join('|')})(?![\\w-])`, 'g');
  }

  text(text: string): string {
    const named =
      this.#nodes === undefined ? text : text.replace(this.#nodes, (name) => `<node:${name.replace(this.#own, '')}>`);
    return compiled
      .reduce(
        (masked, [pattern, by]) => masked.replace(pattern, (found) => (found[0] === '<' ? found : by(found))),
        named,
      )
      .replace(this.#own, '<u>');
  }
}

/** A text in pieces: what is literal, and the tokens between, each as `kind:value`. */
export interface Pieces {
  readonly literals: readonly string[];
  readonly tokens: readonly string[];
}

const splitter = new RegExp(tokenPattern, 'g');

export function piecesOf(text: string): Pieces {
  const literals: string[] = [];
  const tokens: string[] = [];
  let end = 0;
  for (const match of text.matchAll(splitter)) {
    literals.push(text.slice(end, match.index));
    tokens.push(`${match[1]}:${match[2]}`);
    end = match.index + match[0].length;
  }
  literals.push(text.slice(end));
  return { literals, tokens };
}

export const kindOf = (token: string): string => token.slice(0, token.indexOf(':'));

/** The text without numbers and values: `<uid>`. */
export const withoutNumbers = (text: string): string => text.replace(splitter, '<$1>');

/** Each token as `by` says. */
export const replaceTokens = (text: string, by: (token: string) => string): string =>
  text.replace(splitter, (_, kind: string, value: string) => `<${by(`${kind}:${value}`)}>`);
