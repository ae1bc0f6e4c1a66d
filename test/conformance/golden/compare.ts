import { withoutStructDiffs } from './comparable.ts';
import type { Placeholders } from './placeholders.ts';
import { readMessage } from './protobuf-fields.ts';

/** Where the actual value differs from the recorded one, a line each; empty when it does not. */
export function differences(expected: unknown, actual: unknown, placeholders: Placeholders, at = ''): string[] {
  if (expected === '<not recorded>') return [];
  if (expected === '<time>' && typeof actual === 'number') return [];
  // Ages of a few seconds depend on how fast the case was played.
  if (typeof expected === 'string' && /^\d+s$/.test(expected) && typeof actual === 'string' && /^\d+s$/.test(actual))
    return [];
  // What has gone on since a time in the request grows from day to day.
  if (typeof expected === 'string' && typeof actual === 'string' && daysOf(actual) >= daysOf(expected)) return [];
  // Numbers that the server made up are recorded as placeholders too.
  if (typeof expected === 'string' && typeof actual === 'number' && placeholders.isNumber(expected))
    return differences(expected, String(actual), placeholders, at);
  if (typeof expected === 'string')
    return typeof actual === 'string' && isSameText(expected, actual, placeholders) ? [] : [line(at, expected, actual)];
  if (Array.isArray(expected)) return listDifferences(expected, actual, placeholders, at);
  if (typeof expected === 'object' && expected !== null)
    return objectDifferences(expected as Record<string, unknown>, actual, placeholders, at);
  return Object.is(expected, actual) ? [] : [line(at, expected, actual)];
}

function isSameText(expected: string, actual: string, placeholders: Placeholders): boolean {
  const bare = withoutStructDiffs(expected);
  // Where a placeholder stands for the diff, it is in the text as it is.
  return bare === expected
    ? placeholders.matches(expected, actual)
    : placeholders.matches(bare, withoutStructDiffs(actual));
}

/** Days in a duration like `2y203d`; NaN for everything else. */
function daysOf(text: string): number {
  const [, years, days = '0'] = /^(\d+)y(?:(\d+)d)?$/.exec(text) ?? [];
  return Number(years) * 365 + Number(days);
}

const line = (at: string, expected: unknown, actual: unknown): string =>
  `${at === '' ? '(root)' : at}: expected ${show(expected)}, got ${show(actual)}`;

const show = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 600));

type Members = Readonly<Record<string, unknown>>;

const sortKey = (item: unknown): string => JSON.stringify(Object.entries(item as object).sort());

/**
 * Lists whose order was not recorded, and what tells their items apart: upstream lists rules in the order of a map, and
 * owners in the order of their times, which are whole seconds, and then of their names.
 */
const unordered: readonly (readonly [path: RegExp, identity: (item: Members) => string])[] = [
  [/^status\.(nonR|r)esourceRules$/, sortKey],
  [
    /(^|\.)managedFields$/,
    ({ manager, operation, subresource, apiVersion }) =>
      [manager, operation, subresource, apiVersion].map((part) => String(part ?? '')).join(' '),
  ],
];

function ordered(list: readonly unknown[], at: string): readonly unknown[] {
  const identity = unordered.find(([path]) => path.test(at))?.[1];
  const isMembers = (item: unknown): item is Members => typeof item === 'object' && item !== null;
  return identity === undefined || !list.every(isMembers)
    ? list
    : (list as Members[]).toSorted((a, b) => (identity(a) < identity(b) ? -1 : 1));
}

function listDifferences(
  expected: readonly unknown[],
  actual: unknown,
  placeholders: Placeholders,
  at: string,
): string[] {
  if (!Array.isArray(actual)) return [line(at, expected, actual)];
  return itemDifferences(ordered(expected, at), ordered(actual as unknown[], at), placeholders, at);
}

function itemDifferences(
  expected: readonly unknown[],
  actual: readonly unknown[],
  placeholders: Placeholders,
  at: string,
): string[] {
  const items = expected.flatMap((item, i) =>
    i < actual.length
      ? differences(item, actual[i], placeholders, `${at}[${i}]`)
      : [line(`${at}[${i}]`, item, undefined)],
  );
  return actual.length > expected.length
    ? [...items, line(`${at}[${expected.length}]`, undefined, actual[expected.length])]
    : items;
}

function objectDifferences(
  expected: Record<string, unknown>,
  actual: unknown,
  placeholders: Placeholders,
  at: string,
): string[] {
  if ('base64' in expected && 'fields' in expected) {
    if (!Buffer.isBuffer(actual)) return [line(at, 'protobuf', actual)];
    return differences(expected['fields'], readMessage(actual, expected['fields']), placeholders, `${at}(protobuf)`);
  }
  if ('count' in expected && 'parts' in expected)
    return partDifferences(
      expected as { count: Record<string, number>; parts: Record<string, unknown> },
      actual,
      placeholders,
      at,
    );
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return [line(at, expected, actual)];
  const members = actual as Record<string, unknown>;
  const left = new Set(Object.keys(members));
  const found = Object.entries(expected).flatMap(([key, value]) => {
    const own = key.includes('<') ? [...left].find((candidate) => placeholders.matches(key, candidate)) : key;
    if (own !== undefined) left.delete(own);
    return differences(
      value,
      own === undefined ? undefined : members[own],
      placeholders,
      at === '' ? key : `${at}.${key}`,
    );
  });
  // Descriptions are prose of our own; the recordings leave them out.
  left.delete('description');
  return [...found, ...[...left].map((key) => line(at === '' ? key : `${at}.${key}`, undefined, members[key]))];
}

function partDifferences(
  { count, parts }: { count: Record<string, number>; parts: Record<string, unknown> },
  actual: unknown,
  placeholders: Placeholders,
  at: string,
): string[] {
  const part = (path: string): unknown =>
    path.split('|').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], actual);
  const size = (value: unknown): number =>
    typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
  return [
    ...Object.entries(count).flatMap(([path, wanted]) =>
      size(part(path)) === wanted ? [] : [line(`${at}count(${path})`, wanted, size(part(path)))],
    ),
    ...Object.entries(parts).flatMap(([path, wanted]) => differences(wanted, part(path), placeholders, `${at}${path}`)),
  ];
}
