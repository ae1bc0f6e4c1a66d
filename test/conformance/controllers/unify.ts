/**
 * Finds which of our values stands for which placeholder of a recording, such that everything is the same under it.
 *
 * Texts with tokens are a graph: two tokens are alike when they occur at the same places of texts that are alike. That
 * is refined until it no longer changes (colour refinement). Where several tokens are alike, one of each side is
 * declared to be the same, and the rest follows.
 */
import type { Observation } from './observation.ts';
import { factOf } from './observation.ts';
import { kindOf, type Pieces, piecesOf } from './tokens.ts';

/** From tokens of the recording to ours. */
export type Renaming = ReadonlyMap<string, string>;

/** Undefined when there is none: something is different. */
export function unify(observations: readonly Observation[]): Renaming | undefined {
  const expected = new Side(factsOf(observations, 'expected'));
  const actual = new Side(factsOf(observations, 'actual'));
  return expected.size === actual.size ? distinguish(expected, actual, new Colours()) : undefined;
}

interface Fact {
  /** Facts of one place are compared with each other: a resource at a step. */
  readonly place: string;
  readonly pieces: Pieces;
}

const factsOf = (observations: readonly Observation[], side: 'expected' | 'actual'): Fact[] =>
  observations.flatMap((observation) =>
    [...observation[side]].map(([name, value]) => ({
      place: `${observation.step} ${observation.what}`,
      pieces: piecesOf(factOf(name, value)),
    })),
  );

/** Numbers for texts, the same on both sides. */
class Colours {
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const known = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, known);
    return known;
  }
}

class Side {
  readonly #facts: readonly Fact[];
  readonly #colourOf: Map<string, number>;
  #signatures: number[] = [];

  constructor(facts: readonly Fact[], colourOf = new Map<string, number>()) {
    this.#facts = facts;
    this.#colourOf = colourOf;
  }

  get size(): number {
    return this.#facts.length;
  }

  copy(): Side {
    return new Side(this.#facts, new Map(this.#colourOf));
  }

  /** Makes this token unlike all others. */
  mark(token: string, colour: number): void {
    this.#colourOf.set(token, colour);
  }

  classes(): Map<number, string[]> {
    const classes = new Map<number, string[]>();
    for (const [token, colour] of this.#colourOf) classes.set(colour, [...(classes.get(colour) ?? []), token]);
    return classes;
  }

  /** One round. */
  refine(colours: Colours): void {
    this.#signatures = this.#facts.map(({ place, pieces }) => {
      const seen = pieces.tokens.map((token) => this.#colour(token, colours));
      return colours.of(JSON.stringify([place, pieces.literals, seen]));
    });
    const places = new Map<string, string[]>();
    this.#facts.forEach(({ pieces }, i) =>
      pieces.tokens.forEach((token, at) => {
        const known = places.get(token) ?? [];
        if (known.length === 0) places.set(token, known);
        known.push(`${this.#signatures[i]}@${at}`);
      }),
    );
    for (const [token, found] of places)
      this.#colourOf.set(token, colours.of(`${this.#colour(token, colours)} ${found.sort().join()}`));
  }

  #colour(token: string, colours: Colours): number {
    return this.#colourOf.get(token) ?? colours.of(kindOf(token));
  }

  /** The same for two sides that look the same so far. */
  look(): string {
    return this.#signatures.toSorted((a, b) => a - b).join();
  }
}

/** Refines both until neither gets more classes; whether they look the same then. */
function areAlike(expected: Side, actual: Side, colours: Colours): boolean {
  let classes = -1;
  for (;;) {
    expected.refine(colours);
    actual.refine(colours);
    if (expected.look() !== actual.look()) return false;
    const now = expected.classes().size;
    if (now === classes) return true;
    classes = now;
  }
}

function distinguish(expected: Side, actual: Side, colours: Colours): Renaming | undefined {
  if (!areAlike(expected, actual, colours)) return undefined;
  const ours = actual.classes();
  const several = [...expected.classes()].filter(([, tokens]) => tokens.length > 1);
  const [colour, tokens] = several.toSorted((a, b) => a[1].length - b[1].length)[0] ?? [];
  if (colour === undefined || tokens === undefined)
    return new Map([...expected.classes()].map(([one, [token]]) => [token!, ours.get(one)![0]!]));
  const mark = colours.of(`mark ${colour} ${tokens[0]}`);
  for (const candidate of ours.get(colour)!) {
    const [left, right] = [expected.copy(), actual.copy()];
    left.mark(tokens[0]!, mark);
    right.mark(candidate, mark);
    const found = distinguish(left, right, colours);
    if (found !== undefined) return found;
  }
  return undefined;
}
