/**
 * What a server behind an APIService says of a group version, as entries of aggregated discovery (KEP-3352): from its
 * own aggregated document, or made from the legacy one.
 */
import { keysOf, memberOf } from '../../machinery/members.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';
import type { RemoteApi } from './remote-api.ts';

/** Resources of the version in an `APIGroupDiscoveryList`; undefined where it is not in there. */
export function resourcesInGroups(
  document: JsonValue,
  { group, version }: RemoteApi,
): readonly JsonObject[] | undefined {
  for (const item of objectsIn(document, 'items')) {
    const metadata = memberOf(item, 'metadata');
    if (!isObject(metadata) || memberOf(metadata, 'name') !== group) continue;
    const found = objectsIn(item, 'versions').find((entry) => memberOf(entry, 'version') === version);
    if (found !== undefined) return objectsIn(found, 'resources').map(withKinds);
  }
  return undefined;
}

/** Clients of some versions cannot do without. */
function withKinds(resource: JsonObject): JsonObject {
  const kind = (entry: JsonObject): JsonObject =>
    isObject(memberOf(entry, 'responseKind'))
      ? entry
      : { ...entry, responseKind: { group: '', version: '', kind: '' } };
  const subresources = objectsIn(resource, 'subresources').map(kind);
  return { ...kind(resource), ...(subresources.length === 0 ? {} : { subresources }) };
}

/** The entries of an `APIResourceList`; one called `pods/status` belongs to `pods`. */
export function resourcesFromList(list: JsonValue, { group, version }: RemoteApi): readonly JsonObject[] {
  const entries = objectsIn(list, 'resources').map((entry) => ({ entry, parts: textOf(entry, 'name').split('/') }));
  const kindOf = (entry: JsonObject): JsonObject => ({
    group: textOf(entry, 'group') || group,
    version: textOf(entry, 'version') || version,
    kind: textOf(entry, 'kind'),
  });
  const verbsOf = (entry: JsonObject): JsonValue => memberOf(entry, 'verbs') ?? [];
  return entries
    .filter(({ parts }) => parts.length === 1)
    .map(({ entry, parts: [resource = ''] }) => {
      const subresources = entries
        .filter(({ parts }) => parts.length === 2 && parts[0] === resource)
        .map(
          ({ entry: sub, parts: [, subresource = ''] }): JsonObject => ({
            subresource,
            responseKind: kindOf(sub),
            verbs: verbsOf(sub),
          }),
        );
      return {
        resource,
        responseKind: kindOf(entry),
        scope: memberOf(entry, 'namespaced') === true ? 'Namespaced' : 'Cluster',
        singularResource: textOf(entry, 'singularName'),
        verbs: verbsOf(entry),
        ...kept(entry, ['shortNames', 'categories']),
        ...(subresources.length === 0 ? {} : { subresources }),
      };
    });
}

const kept = (entry: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    keysOf(entry)
      .filter((name) => names.includes(name))
      .map((name) => [name, entry[name]!]),
  );

const textOf = (object: JsonObject, name: string): string => {
  const value = memberOf(object, name);
  return typeof value === 'string' ? value : '';
};

function objectsIn(value: JsonValue, name: string): readonly JsonObject[] {
  const list = isObject(value) ? memberOf(value, name) : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}
