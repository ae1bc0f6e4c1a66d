/**
 * Query and path parameters of operations: the members of the option types that fit into a URL, as OpenAPI shows them.
 */
import { descriptionOf } from '../../api/descriptions.ts';
import { schemas } from '../../api/schemas.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description?: string;
}

const TYPES: Readonly<Record<string, Parameter['type']>> = {
  string: 'string',
  bool: 'boolean',
  int32: 'integer',
  int64: 'integer',
  uint32: 'integer',
  uint64: 'integer',
};

/**
 * What the members of these option types become as query parameters, by name; structs and times cannot be parameters.
 */
export function queryOf(ids: readonly string[], except: readonly string[] = []): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const id of ids) {
    const { fields } = descriptionOf(id);
    for (const { json, type } of schemas.type(id).fields) {
      const simple = TYPES[type];
      if (simple === undefined || except.includes(json)) continue;
      found.set(json, { name: json, in: 'query', type: simple, ...(fields[json] && { description: fields[json] }) });
    }
  }
  return [...found.values()].sort(byName);
}

export const LIST = lazily(() => queryOf(['meta/v1.ListOptions']));
export const DELETE = lazily(() => queryOf(['meta/v1.DeleteOptions']));
export const DELETE_COLLECTION = lazily(() =>
  queryOf(['meta/v1.DeleteOptions', 'meta/v1.ListOptions'], ['watch', 'allowWatchBookmarks']),
);
export const CREATE = lazily(() => queryOf(['meta/v1.CreateOptions']));
export const UPDATE = lazily(() => queryOf(['meta/v1.UpdateOptions']));
export const PATCH = lazily(() => queryOf(['meta/v1.PatchOptions']));

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

export const PRETTY: Parameter = {
  name: 'pretty',
  in: 'query',
  type: 'string',
  description: "Whether JSON is indented: 'true' or 'false'. Browsers, curl and wget get it indented by default.",
};
export const NAMESPACE: Parameter = {
  name: 'namespace',
  in: 'path',
  type: 'string',
  description: 'Namespace of the object.',
};
export const PATH: Parameter = {
  name: 'path',
  in: 'path',
  type: 'string',
  description: 'Path of the request behind the proxy.',
};
export const nameOf = (kind: string): Parameter => ({
  name: 'name',
  in: 'path',
  type: 'string',
  description: `Name of the ${kind}.`,
});

/** Documents list the parameters of an operation in this order. */
export function byName(a: Parameter, b: Parameter): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : a.in < b.in ? -1 : 1;
}
