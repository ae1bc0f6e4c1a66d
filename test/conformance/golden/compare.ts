import type { Placeholders } from './placeholders.ts';
import { readMessage } from './protobuf-fields.ts';

/** Where the actual value differs from the recorded one, a line each; empty when it does not. */
export function differences(expected: unknown, actual: unknown, placeholders: Placeholders, at = ''): string[] {
  if (expected === '<not recorded>') return [];
  if (expected === '<time>' && typeof actual === 'number') return [];
  // Ages of a few seconds depend on how fast the case was played.
  if (typeof expected === 'string' && /^\d+s$/.test(expected) && typeof actual === 'string' && /^\d+s$/.test(actual)) return [];
  // Numbers that the server made up are recorded as placeholders too.
  if (typeof expected === 'string' && typeof actual === 'number' && placeholders.isNumber(expected)) return differences(expected, String(actual), placeholders, at);
  if (typeof expected === 'string') return typeof actual === 'string' && placeholders.matches(expected, actual) ? [] : [line(at, expected, actual)];
  if (Array.isArray(expected)) return listDifferences(expected, actual, placeholders, at);
  if (typeof expected === 'object' && expected !== null) return objectDifferences(expected as Record<string, unknown>, actual, placeholders, at);
  return Object.is(expected, actual) ? [] : [line(at, expected, actual)];
}

const line = (at: string, expected: unknown, actual: unknown): string => `${at === '' ? '(root)' : at}: expected ${show(expected)}, got ${show(actual)}`;

const show = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 600));

function listDifferences(expected: unknown[], actual: unknown, placeholders: Placeholders, at: string): string[] {
  if (!Array.isArray(actual)) return [line(at, expected, actual)];
  const items = expected.flatMap((item, i) => (i < actual.length ? differences(item, actual[i], placeholders, `${at}[${i}]`) : [line(`${at}[${i}]`, item, undefined)]));
  return actual.length > expected.length ? [...items, line(`${at}[${expected.length}]`, undefined, actual[expected.length])] : items;
}

function objectDifferences(expected: Record<string, unknown>, actual: unknown, placeholders: Placeholders, at: string): string[] {
  if ('base64' in expected && 'fields' in expected) {
    if (!Buffer.isBuffer(actual)) return [line(at, 'protobuf', actual)];
    return differences(expected['fields'], readMessage(actual, expected['fields']), placeholders, `${at}(protobuf)`);
  }
  if ('count' in expected && 'parts' in expected) return partDifferences(expected as { count: Record<string, number>; parts: Record<string, unknown> }, actual, placeholders, at);
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return [line(at, expected, actual)];
  const members = actual as Record<string, unknown>;
  const left = new Set(Object.keys(members));
  const found = Object.entries(expected).flatMap(([key, value]) => {
    const own = key.includes('<') ? [...left].find((candidate) => placeholders.matches(key, candidate)) : key;
    if (own !== undefined) left.delete(own);
    return differences(value, own === undefined ? undefined : members[own], placeholders, at === '' ? key : `${at}.${key}`);
  });
  // Descriptions are prose of our own; the recordings leave them out.
  left.delete('description');
  return [...found, ...[...left].map((key) => line(at === '' ? key : `${at}.${key}`, undefined, members[key]))];
}

function partDifferences({ count, parts }: { count: Record<string, number>; parts: Record<string, unknown> }, actual: unknown, placeholders: Placeholders, at: string): string[] {
  const part = (path: string): unknown => path.split('|').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], actual);
  const size = (value: unknown): number => (typeof value === 'object' && value !== null ? Object.keys(value).length : 0);
  return [
    ...Object.entries(count).flatMap(([path, wanted]) => (size(part(path)) === wanted ? [] : [line(`${at}count(${path})`, wanted, size(part(path)))])),
    ...Object.entries(parts).flatMap(([path, wanted]) => differences(wanted, part(path), placeholders, `${at}${path}`)),
  ];
}
