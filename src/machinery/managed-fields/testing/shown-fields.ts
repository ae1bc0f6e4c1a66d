/** Owned fields as paths, and values as the answers of typed objects show them. */
import type { ManagedFieldsEntry } from '../../object-meta.ts';
import { isObject, type JsonObject, type JsonValue, RawJson } from '../../value.ts';

export const fieldsOf = ({ fieldsV1 }: ManagedFieldsEntry): JsonValue =>
  (fieldsV1 as unknown) instanceof RawJson
    ? (JSON.parse((fieldsV1 as unknown as RawJson).text) as JsonValue)
    : fieldsV1!;

export function pathsOf(entries: ManagedFieldsEntry[] | undefined): string[] {
  const walk = (fields: JsonObject, prefix: string): string[] => {
    const names = Object.keys(fields);
    if (names.length === 0) return [prefix];
    return names.flatMap((name) =>
      name === '.' ? [prefix] : walk(fields[name] as JsonObject, `${prefix}${shownElement(name)}`),
    );
  };
  return (entries ?? []).flatMap((entry) => walk(fieldsOf(entry) as JsonObject, '')).sort();
}

function shownElement(name: string): string {
  if (name.startsWith('f:')) return `.${name.slice(2)}`;
  if (!name.startsWith('k:')) return `[${name}]`;
  return `[${Object.entries(JSON.parse(name.slice(2)) as JsonObject)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(',')}]`;
}

/** Without null and empty members, which an answer of a typed object does not show. */
export function withoutNothing(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item) => withoutNothing(item) ?? {});
  if (!isObject(value)) return value === null || value === '' ? undefined : value;
  const members = Object.entries(value)
    .map(([key, member]) => [key, member === undefined ? undefined : withoutNothing(member)] as const)
    .filter(([, member]) => member !== undefined);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
