/** Where a case came out differently, in lines for people: `-` is recorded, `+` is ours. */
import type { JsonValue } from '../../../src/machinery/value.ts';
import { membersOf } from './json.ts';
import { type Entries, leaves, type Observation, order } from './observation.ts';
import { Bindings, pair } from './pairing.ts';
import { unify } from './unify.ts';

/** Empty when everything is the same up to other numbers of placeholders. */
export function differences(observations: readonly Observation[]): string[] {
  const renaming = unify(observations);
  const bindings = renaming === undefined ? pair(observations) : new Bindings(renaming);
  return observations.flatMap(({ step, what, expected, actual }) => {
    const found = entryDifferences(expected, renamed(actual, bindings));
    return found.length === 0 ? [] : [`step ${step}, ${what}:`, ...found.map((line) => `  ${line}`)];
  });
}

/** Ours with the placeholders of the recording. */
const renamed = (actual: Entries, bindings: Bindings): Entries =>
  new Map([...actual].map(([name, value]) => [bindings.asRecorded(name), renamedValue(value, bindings)]));

function renamedValue(value: JsonValue, bindings: Bindings): JsonValue {
  if (typeof value === 'string') return bindings.asRecorded(value);
  if (Array.isArray(value)) return value.map((item) => renamedValue(item, bindings));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    membersOf(value).map(([name, item]) => [bindings.asRecorded(name), renamedValue(item, bindings)]),
  );
}

function entryDifferences(expected: Entries, actual: Entries): string[] {
  const missing = [...expected].filter(([name]) => !actual.has(name)).map(([name, value]) => `- ${whole(name, value)}`);
  const extra = [...actual].filter(([name]) => !expected.has(name)).map(([name, value]) => `+ ${whole(name, value)}`);
  const changed = [...expected].flatMap(([name, value]) => {
    if (!actual.has(name)) return [];
    const found = leafDifferences(leaves(value), leaves(actual.get(name)!));
    return found.length === 0 ? [] : [name, ...found.map((line) => `  ${line}`)];
  });
  return [...changed, ...missing, ...extra];
}

const shownLength = 700;

const whole = (name: string, value: JsonValue): string =>
  value === null ? name : `${name} ${JSON.stringify(value).slice(0, shownLength)}`;

function leafDifferences(expected: ReadonlyMap<string, string>, actual: ReadonlyMap<string, string>): string[] {
  return [...new Set([...expected.keys(), ...actual.keys()])].flatMap((path) => {
    const [recorded, ours] = [expected.get(path), actual.get(path)];
    // Another order says something where the same items are there.
    if (recorded === ours || (path.endsWith(order) && sorted(recorded) !== sorted(ours))) return [];
    return [
      ...(recorded === undefined ? [] : [`- ${path}: ${recorded}`]),
      ...(ours === undefined ? [] : [`+ ${path}: ${ours}`]),
    ];
  });
}

const sorted = (labels: string | undefined): string => (labels ?? '').split(', ').sort().join();
