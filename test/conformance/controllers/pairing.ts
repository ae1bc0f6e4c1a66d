/**
 * Which of our objects is most like which recorded one, where not all is the same: so that a difference names the
 * member that differs, and not every value that is another in each run.
 */
import type { JsonValue } from '../../../src/machinery/value.ts';
import { leaves, type Observation } from './observation.ts';
import { piecesOf, replaceTokens, withoutNumbers } from './tokens.ts';

/** What is known of which token stands for which, one to one. */
export class Bindings {
  readonly #toActual = new Map<string, string>();
  readonly #toExpected = new Map<string, string>();

  constructor(known: Iterable<readonly [expected: string, actual: string]> = []) {
    for (const [expected, actual] of known) this.#bind(expected, actual);
  }

  #bind(expected: string, actual: string): void {
    this.#toActual.set(expected, actual);
    this.#toExpected.set(actual, expected);
  }

  /** Our text with the placeholders of the recording, as far as they are known. */
  asRecorded(actual: string): string {
    return replaceTokens(actual, (token) => this.#toExpected.get(token) ?? token);
  }

  /** Takes tokens at the same places of two texts that are alike to be the same, unless it is known otherwise. */
  bindText(expected: string, actual: string): void {
    if (withoutNumbers(expected) !== withoutNumbers(actual)) return;
    const ours = piecesOf(actual).tokens;
    piecesOf(expected).tokens.forEach((token, i) => {
      if (!this.#toActual.has(token) && !this.#toExpected.has(ours[i]!)) this.#bind(token, ours[i]!);
    });
  }

  /** Whether the texts are alike, and no token is known to be another. */
  canBe(expected: string, actual: string): boolean {
    if (withoutNumbers(expected) !== withoutNumbers(actual)) return false;
    const ours = piecesOf(actual).tokens;
    return piecesOf(expected).tokens.every((token, i) => {
      const known = this.#toActual.get(token);
      return known === undefined ? !this.#toExpected.has(ours[i]!) : known === ours[i];
    });
  }
}

/** An object through all steps. */
interface Story {
  readonly name: string;
  readonly steps: Map<number, ReadonlyMap<string, string>>;
}

type Stories = Map<string, Map<string, Story>>;

function storiesOf(observations: readonly Observation[], side: 'expected' | 'actual'): Stories {
  const stories: Stories = new Map();
  for (const observation of observations) {
    const { what, step } = observation;
    const ofResource = stories.get(what) ?? new Map<string, Story>();
    stories.set(what, ofResource);
    for (const [name, value] of observation[side]) {
      const story = ofResource.get(name) ?? { name, steps: new Map<number, ReadonlyMap<string, string>>() };
      ofResource.set(name, story);
      story.steps.set(step, leaves(value as JsonValue));
    }
  }
  return stories;
}

export function pair(observations: readonly Observation[]): Bindings {
  const bindings = new Bindings();
  const objects = observations.filter(({ what }) => what !== 'events');
  const actual = storiesOf(objects, 'actual');
  for (const [what, ofResource] of storiesOf(objects, 'expected')) {
    const left = new Map(actual.get(what));
    const byCertainty = [...ofResource.values()].sort((a, b) => tokensIn(a.name) - tokensIn(b.name));
    for (const story of byCertainty) {
      const best = bestOf(story, [...left.values()], bindings);
      if (best === undefined) continue;
      left.delete(best.name);
      bindStory(story, best, bindings);
    }
  }
  for (const { expected, actual: ours } of observations.filter(({ what }) => what === 'events'))
    bindLines([...expected.keys()], [...ours.keys()], bindings);
  return bindings;
}

const tokensIn = (name: string): number => piecesOf(name).tokens.length;

function bestOf(story: Story, candidates: readonly Story[], bindings: Bindings): Story | undefined {
  let best: { readonly story: Story; readonly score: number } | undefined;
  for (const candidate of candidates) {
    if (!bindings.canBe(story.name, candidate.name)) continue;
    const score = likeness(story, candidate, bindings);
    if (best === undefined || score > best.score) best = { story: candidate, score };
  }
  return best?.story;
}

/** As much as ten members that differ. */
const absence = 10;

function likeness(expected: Story, actual: Story, bindings: Bindings): number {
  let score = 0;
  for (const step of new Set([...expected.steps.keys(), ...actual.steps.keys()])) {
    const [recorded, ours] = [expected.steps.get(step), actual.steps.get(step)];
    if (recorded === undefined || ours === undefined) score -= absence;
    else
      for (const [path, leaf] of recorded) {
        const own = ours.get(path);
        score += own !== undefined && bindings.canBe(leaf, own) ? 1 : -1;
      }
  }
  return score;
}

function bindStory(expected: Story, actual: Story, bindings: Bindings): void {
  bindings.bindText(expected.name, actual.name);
  for (const [step, recorded] of expected.steps)
    for (const [path, leaf] of recorded) {
      const own = actual.steps.get(step)?.get(path);
      if (own !== undefined) bindings.bindText(leaf, own);
    }
}

/** Lines that only an event has shown: what came and went between two snapshots. */
function bindLines(expected: readonly string[], actual: readonly string[], bindings: Bindings): void {
  const left = new Set(actual);
  for (const line of expected) for (const own of left) if (bindings.asRecorded(own) === line) left.delete(own);
  for (const line of expected) {
    const own = [...left].find((candidate) => bindings.canBe(line, candidate));
    if (own === undefined) continue;
    left.delete(own);
    bindings.bindText(line, own);
  }
}
