/**
 * How values are merged and owned: the schema in the terms of server-side apply. Every value is a scalar, a list or
 * a map; where the schema does not say which, the value decides.
 *
 * - A scalar, an atomic list and an atomic map are owned as a whole.
 * - The items of an associative list are owned one by one: found by key, or by value in a set.
 * - The members of any other map or struct are owned one by one.
 *
 * Built-in types come from `built-in-types.ts`, custom resources from `structural-types.ts`.
 */
import type { JsonValue } from '../value.ts';
import type { FieldNode } from './field-set.ts';
import { fieldElement, type PathElement } from './path-element.ts';

export interface MergeType {
  readonly scalar?: ScalarKind;
  readonly list?: ListType;
  readonly map?: MapType;
}

export type ScalarKind = 'numeric' | 'string' | 'boolean' | 'untyped';

export interface ListType {
  readonly element: MergeType;
  readonly associative: boolean;
  /** Empty: items are their own keys (a set). */
  readonly keys: readonly string[];
  /** The same, sorted: the order within a path element. */
  readonly sortedKeys: readonly string[];
}

export interface MapType {
  /** Members with a type of their own. */
  readonly fields: ReadonlyMap<string, StructField>;
  /** The same in the order of declaration, in which JSON has them. */
  readonly declared: readonly StructField[];
  /** The same, sorted by name. */
  readonly sorted: readonly StructField[];
  /** Type of all other members; none may exist where it is absent. */
  readonly element: MergeType | undefined;
  readonly atomic: boolean;
}

export interface FieldOptions {
  /** Of the key of a list item that leaves it out. */
  readonly default?: JsonValue;
  /** What a typed object has when the member is missing: nothing, or the zero value JSON writes. */
  readonly absent?: JsonValue;
  /** A typed object leaves the zero value out. */
  readonly omitsZero?: boolean;
}

/**
 * A member of a struct. Its type is looked up when first needed: types refer to each other, and most are never used.
 */
export class StructField {
  readonly name: string;
  readonly element: PathElement;
  /** The field as a member of a set, with nothing below it. */
  readonly leaf: FieldNode;
  readonly options: FieldOptions;
  readonly absent: JsonValue | undefined;
  readonly omitsZero: boolean;
  readonly #resolve: () => MergeType;
  #resolved: MergeType | undefined;

  constructor(name: string, resolve: () => MergeType, options: FieldOptions = {}) {
    this.name = name;
    this.element = fieldElement(name);
    this.leaf = { element: this.element, member: true, children: undefined };
    this.#resolve = resolve;
    this.options = options;
    this.absent = options.absent;
    this.omitsZero = options.omitsZero ?? false;
  }

  get type(): MergeType {
    return (this.#resolved ??= this.#resolve());
  }

  withType(resolve: () => MergeType): StructField {
    return new StructField(this.name, resolve, this.options);
  }
}

export function structType(
  fields: Iterable<StructField>,
  options: { element?: MergeType; atomic?: boolean } = {},
): MapType {
  const declared = [...fields];
  const sorted = declared.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    fields: new Map(sorted.map((field) => [field.name, field])),
    declared,
    sorted,
    element: options.element,
    atomic: options.atomic ?? false,
  };
}

export const scalarType = (scalar: ScalarKind): MergeType => ({ scalar });

/** Owned as a whole, whatever it is. */
export const untypedAtomic: MergeType = {
  scalar: 'untyped',
  get list(): ListType {
    return untypedList;
  },
  get map(): MapType {
    return untypedMap;
  },
};
const untypedList: ListType = { element: untypedAtomic, associative: false, keys: [], sortedKeys: [] };
const untypedMap = structType([], { element: untypedAtomic, atomic: true });

/** Without a schema: objects member by member, lists as a whole. */
export const deduced: MergeType = {
  scalar: 'untyped',
  list: untypedList,
  get map(): MapType {
    return deducedMap;
  },
};
const deducedMap = structType([], { element: deduced });

/** A list whose element type is looked up when first needed. */
export function listType(
  resolve: () => MergeType,
  kind: 'atomic' | 'set' | 'map' | undefined,
  keys: readonly string[] = [],
): ListType {
  let element: MergeType | undefined;
  return {
    get element() {
      return (element ??= resolve());
    },
    associative: kind === 'set' || kind === 'map',
    keys: kind === 'map' ? keys : [],
    sortedKeys: kind === 'map' ? keys.toSorted() : [],
  };
}

/** Owned as a whole instead of by members: what a field says of a type it refers to. */
export function atomically(type: MergeType): MergeType {
  if (type.map !== undefined) return { ...type, map: { ...type.map, atomic: true } };
  return type.list === undefined ? type : { ...type, list: listType(() => type.list!.element, 'atomic') };
}

/** The same map or struct, its members owned one by one. */
export const granularly = (type: MergeType): MergeType =>
  type.map === undefined ? type : { ...type, map: { ...type.map, atomic: false } };

/** The type of a member, undefined where the schema has no such member. */
export const memberType = (map: MapType, name: string): MergeType | undefined =>
  map.fields.get(name)?.type ?? map.element;

/** Type of the whole object without one member of its metadata: it owns itself. */
export function withoutManagedFields(type: MergeType): MergeType {
  const { map } = type;
  const metadata = map?.fields.get('metadata');
  if (map === undefined || metadata === undefined) return type;
  const reduced = metadata.withType(() => withoutMember(metadata.type, 'managedFields'));
  return {
    ...type,
    map: structType(
      map.declared.map((field) => (field === metadata ? reduced : field)),
      { ...(map.element && { element: map.element }), atomic: map.atomic },
    ),
  };
}

function withoutMember(type: MergeType, name: string): MergeType {
  if (type.map === undefined) return type;
  const { declared, element, atomic } = type.map;
  return {
    ...type,
    map: structType(
      declared.filter((field) => field.name !== name),
      { ...(element && { element }), atomic },
    ),
  };
}
