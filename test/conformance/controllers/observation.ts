/** What a case showed at one step, beside what was recorded there. */
import type { JsonValue } from '../../../src/machinery/value.ts';
import { withoutNumbers } from './tokens.ts';

/** By name. Lines of events are names without anything. */
export type Entries = ReadonlyMap<string, JsonValue>;

export interface Observation {
  /** Index in the case. */
  readonly step: number;
  /** A resource, `events`, `attachments` or `answer`. */
  readonly what: string;
  readonly expected: Entries;
  readonly actual: Entries;
}

export const entriesOfLines = (lines: readonly string[]): Entries => new Map(lines.map((line) => [line, null]));

/** Leaves of a value as `path: value`, in an order that does not depend on the numbers of placeholders. */
export function leaves(value: JsonValue): Map<string, string> {
  const found = new Map<string, string>();
  collect(value, '', found);
  return found;
}

function collect(value: JsonValue, at: string, found: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) {
    found.set(at, JSON.stringify(value));
    return;
  }
  if (Array.isArray(value)) {
    if (value.length === 0) found.set(at, '[]');
    const labels = labelsOf(value);
    if (labels.some((label, i) => label !== String(i))) found.set(`${at} ${order}`, labels.join(', '));
    value.forEach((item, i) => collect(item, `${at}[${labels[i]}]`, found));
    return;
  }
  const names = Object.keys(value).sort((a, b) => (withoutNumbers(a) < withoutNumbers(b) ? -1 : 1));
  if (names.length === 0) found.set(at, '{}');
  for (const name of names) collect(value[name]!, at === '' ? name : `${at}.${name}`, found);
}

/** The end of the path of a leaf that has the labels of a list in their order. */
export const order = '(order)';

/** Items of a list by their type, key or name, so that a difference can be read; by number where that is not unique. */
function labelsOf(items: readonly JsonValue[]): string[] {
  const labels = items.map((item) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return undefined;
    const label = item['type'] ?? item['key'] ?? item['name'];
    return typeof label === 'string' && !label.includes('<') ? label : undefined;
  });
  return labels.map((label, i) =>
    label === undefined || labels.indexOf(label) !== labels.lastIndexOf(label) ? String(i) : label,
  );
}

/** One text for a named value, the same for values that differ only in the numbers of placeholders. */
export const factOf = (name: string, value: JsonValue): string =>
  `${name}\n${[...leaves(value)].map(([path, leaf]) => `${path}: ${leaf}`).join('\n')}`;
