/**
 * Merge types of custom resources, from the schema of a CustomResourceDefinition's version: `x-kubernetes-list-type`,
 * `x-kubernetes-list-map-keys` and `x-kubernetes-map-type` say how lists and objects are merged.
 * @see {@link https://kubernetes.io/docs/reference/using-api/server-side-apply/#custom-resources-and-server-side-apply
 *   | custom resources}
 */
import { keysOf, memberOf } from '../members.ts';
import { isObject, type JsonObject, type JsonValue } from '../value.ts';
import {
  deduced,
  listType,
  scalarType,
  structType,
  StructField,
  untypedAtomic,
  type ListType,
  type MapType,
  type MergeType,
  type ScalarKind,
} from './merge-type.ts';

export interface CustomTypeOptions {
  /** The merge type of `meta/v1.ObjectMeta`. */
  readonly objectMeta: MergeType;
  /** `spec.preserveUnknownFields` of the definition. */
  readonly preserveUnknownFields?: boolean;
}

/** The type of whole objects. Without a schema everything is deduced from the objects. */
export function createCustomType(
  schema: JsonObject | undefined,
  { objectMeta, preserveUnknownFields = false }: CustomTypeOptions,
): MergeType {
  if (schema === undefined) return { map: structType([], { element: deduced }) };
  return new Reader(objectMeta).whole(schema, preserveUnknownFields);
}

const texts = scalarType('string');

class Reader {
  readonly #objectMeta: MergeType;

  constructor(objectMeta: MergeType) {
    this.#objectMeta = objectMeta;
  }

  whole(schema: JsonObject, preserve: boolean): MergeType {
    return { map: this.#mapOf(schema, preserve || preserves(schema), this.#identity()) };
  }

  #typeOf(schema: JsonObject, inherited: boolean): MergeType {
    const preserve = inherited || preserves(schema);
    switch (memberOf(schema, 'type')) {
      case undefined:
      case '':
        return { scalar: 'untyped', list: this.#listOf(schema, preserve), map: this.#mapOf(schema, preserve) };
      case 'object':
        return {
          map: this.#mapOf(
            schema,
            preserve,
            memberOf(schema, 'x-kubernetes-embedded-resource') === true ? this.#identity() : [],
          ),
        };
      case 'array':
        return { list: this.#listOf(schema, preserve) };
      default:
        return scalarType(scalarOf(schema));
    }
  }

  #mapOf(schema: JsonObject, preserve: boolean, more: readonly StructField[] = []): MapType {
    const properties = objectAt(schema, 'properties') ?? {};
    const own = new Map(
      keysOf(properties).map((name): [string, StructField] => [
        name,
        this.#fieldOf(name, memberOf(properties, name) as JsonObject, preserve),
      ]),
    );
    for (const field of more) own.set(field.name, field);
    const element = this.#elementOf(memberOf(schema, 'additionalProperties'), own.size === 0, preserve);
    return structType(own.values(), {
      ...(element && { element }),
      atomic: memberOf(schema, 'x-kubernetes-map-type') === 'atomic',
    });
  }

  #fieldOf(name: string, schema: JsonObject, preserve: boolean): StructField {
    const fixed = memberOf(schema, 'default');
    return new StructField(name, () => this.#typeOf(schema, preserve), fixed === undefined ? {} : { default: fixed });
  }

  /** Type of members the schema does not name. */
  #elementOf(additional: JsonValue | undefined, isFreeForm: boolean, preserve: boolean): MergeType | undefined {
    if (isObject(additional)) return this.#typeOf(additional, preserve);
    if (additional === undefined) return preserve || isFreeForm ? deduced : undefined;
    return additional === true ? deduced : undefined;
  }

  #listOf(schema: JsonObject, preserve: boolean): ListType {
    const items = objectAt(schema, 'items');
    const keys = memberOf(schema, 'x-kubernetes-list-map-keys');
    const kind = memberOf(schema, 'x-kubernetes-list-type') as 'atomic' | 'set' | 'map' | undefined;
    return listType(
      () => (items === undefined ? untypedAtomic : this.#typeOf(items, preserve)),
      kind,
      Array.isArray(keys) ? (keys as string[]) : [],
    );
  }

  #identity(): StructField[] {
    return [
      new StructField('apiVersion', () => texts),
      new StructField('kind', () => texts),
      new StructField('metadata', () => this.#objectMeta),
    ];
  }
}

const preserves = (schema: JsonObject): boolean => memberOf(schema, 'x-kubernetes-preserve-unknown-fields') === true;

function scalarOf(schema: JsonObject): ScalarKind {
  switch (memberOf(schema, 'type')) {
    case 'integer':
    case 'number':
      return 'numeric';
    case 'boolean':
      return 'boolean';
    case 'string':
      return ['', 'byte', undefined].includes(memberOf(schema, 'format') as string | undefined) ? 'string' : 'untyped';
    default:
      return 'untyped';
  }
}

function objectAt(schema: JsonObject, name: string): JsonObject | undefined {
  const value = memberOf(schema, name);
  return isObject(value) ? value : undefined;
}
