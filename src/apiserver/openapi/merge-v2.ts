/**
 * Documents of several servers in one OpenAPI 2.0 document. Each other server speaks for one API only: its paths, and
 * what they refer to. Definitions that are the same everywhere are there once; one that is called like another and says
 * something else gets another name. What others hand over was not written here, so nothing is taken on trust but its
 * size.
 */
import { jsonEqual, memberOf } from '../../machinery/members.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';

/** What a server says of one API. */
export interface PartV2 {
  readonly paths: ReadonlyMap<string, JsonObject>;
  /** By what refers to them: `#/definitions/com.example.v1.Thing`. */
  readonly components: ReadonlyMap<string, JsonObject>;
}

const sections = ['definitions', 'parameters'] as const;
const kindsMember = 'x-kubernetes-group-version-kind';
/** No practical schema is deeper. */
const maxDepth = 100;

/**
 * The part about a group version (`example.com/v1`); undefined where the document has none. Throws for what is too
 * deep.
 */
export function partV2(document: JsonValue, apiVersion: string): PartV2 | undefined {
  if (!isObject(document)) return undefined;
  const [group] = apiVersion.split('/');
  const isPath = (path: string): boolean => path === `/apis/${group}/` || path.startsWith(`/apis/${apiVersion}/`);
  const paths = new Map(objectsIn(document, 'paths').filter(([path]) => isPath(path)));
  return paths.size === 0 ? undefined : { paths, components: reachable(paths.values(), componentsOf(document)) };
}

/** @param own stays as it is; what comes earlier in `parts` has precedence */
export function mergeV2(own: JsonObject, parts: readonly PartV2[]): JsonObject {
  if (parts.length === 0) return own;
  const paths = new Map(objectsIn(own, 'paths'));
  const components = componentsOf(own);
  for (const part of parts) {
    const added = new Map([...part.paths].filter(([path]) => !paths.has(path)));
    const names = add(reachable(added.values(), part.components), components);
    for (const [path, item] of added) paths.set(path, renamed(item, names) as JsonObject);
  }
  return {
    ...own,
    paths: Object.fromEntries([...paths].sort(byName)),
    ...Object.fromEntries(sections.map((section) => [section, sectionOf(section, components)])),
  };
}

/** Puts what comes beside what is there. @returns the new names of what could not keep its own */
function add(coming: ReadonlyMap<string, JsonObject>, present: Map<string, JsonObject>): ReadonlyMap<string, string> {
  const conflicts = conflicting(coming, present);
  // One number for all: what refers to each other stays together, and is found again by the next server that has the
  // same.
  for (let number = 2; ; number++) {
    const names = new Map([...conflicts].map((name) => [name, `${name}_v${number}`]));
    const last = new Map(
      [...coming].map(([name, component]) => [names.get(name) ?? name, renamed(component, names) as JsonObject]),
    );
    if ([...conflicts].some((name) => differs(last.get(names.get(name)!)!, present.get(names.get(name)!)))) continue;
    for (const [name, component] of last) present.set(name, withKindsOf(present.get(name), component));
    return names;
  }
}

/** What is there already and says something else, by itself or by what it refers to. */
function conflicting(
  coming: ReadonlyMap<string, JsonObject>,
  present: ReadonlyMap<string, JsonObject>,
): ReadonlySet<string> {
  const found = new Set(
    [...coming].filter(([name, component]) => differs(component, present.get(name))).map(([name]) => name),
  );
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [name, component] of coming)
      if (present.has(name) && referencesIn(component).some((target) => found.has(target))) found.add(name);
  }
  return found;
}

/** Options and events are of every group that takes them: which ones makes no difference. */
const differs = (component: JsonObject, present: JsonObject | undefined): boolean =>
  present !== undefined && !jsonEqual(withoutKinds(component), withoutKinds(present));

const withoutKinds = (component: JsonObject): JsonObject => ({ ...component, [kindsMember]: undefined });

function withKindsOf(present: JsonObject | undefined, coming: JsonObject): JsonObject {
  if (present === undefined) return coming;
  const known = kindsOf(present);
  const more = kindsOf(coming).filter((kind) => !known.some((other) => jsonEqual(kind, other)));
  return more.length === 0 ? present : { ...present, [kindsMember]: [...known, ...more] };
}

function kindsOf(component: JsonObject): readonly JsonValue[] {
  const kinds = memberOf(component, kindsMember);
  return Array.isArray(kinds) ? kinds : [];
}

function reachable(
  roots: Iterable<JsonObject>,
  components: ReadonlyMap<string, JsonObject>,
): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  const waiting = [...roots];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const name of referencesIn(next)) {
      const component = components.get(name);
      if (component === undefined || found.has(name)) continue;
      found.set(name, component);
      waiting.push(component);
    }
  }
  return found;
}

function referencesIn(value: JsonValue | undefined, depth = 0): string[] {
  if (depth > maxDepth) throw new Error(`the document is nested more than ${maxDepth} deep`);
  if (Array.isArray(value)) return value.flatMap((item) => referencesIn(item, depth + 1));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === '$ref' && typeof member === 'string' ? [member] : referencesIn(member, depth + 1),
  );
}

function renamed(value: JsonValue | undefined, names: ReadonlyMap<string, string>): JsonValue | undefined {
  if (names.size === 0) return value;
  if (Array.isArray(value)) return value.map((item) => renamed(item, names)!);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === '$ref' && typeof member === 'string' ? (names.get(member) ?? member) : renamed(member, names),
    ]),
  );
}

const componentsOf = (document: JsonObject): Map<string, JsonObject> =>
  new Map(
    sections.flatMap((section) =>
      objectsIn(document, section).map(([name, component]): [string, JsonObject] => [
        `#/${section}/${name}`,
        component,
      ]),
    ),
  );

function sectionOf(section: string, components: ReadonlyMap<string, JsonObject>): JsonObject {
  const prefix = `#/${section}/`;
  return Object.fromEntries(
    [...components]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, component]): [string, JsonObject] => [name.slice(prefix.length), component])
      .sort(byName),
  );
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

function objectsIn(document: JsonObject, name: string): [string, JsonObject][] {
  const section = memberOf(document, name);
  return isObject(section)
    ? Object.entries(section).filter((entry): entry is [string, JsonObject] => isObject(entry[1]))
    : [];
}
