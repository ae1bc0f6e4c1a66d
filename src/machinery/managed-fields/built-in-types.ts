/**
 * Merge types of the built-in API, from the type schema. Compiled per type, when first asked for.
 */
import type { Field, SchemaRegistry, TypeSchema } from '../schema.ts';
import type { JsonValue } from '../value.ts';
import {
  atomically,
  deduced,
  granularly,
  listType,
  scalarType,
  structType,
  StructField,
  untypedAtomic,
  type FieldOptions,
  type MergeType,
} from './merge-type.ts';

export interface BuiltInTypes {
  /** The merge type of `core/v1.Pod`. */
  of(typeId: string): MergeType;
}

type Container = Omit<Pick<Field, 'repeated' | 'mapKey' | 'listType' | 'listMapKeys'>, 'mapKey'> & {
  readonly mapKey?: string;
};

const text = scalarType('string');
const numeric = scalarType('numeric');
const anyScalar = scalarType('untyped');

const scalars: Readonly<Record<string, MergeType>> = {
  string: text,
  bytes: text,
  bool: scalarType('boolean'),
  int32: numeric,
  int64: numeric,
  uint32: numeric,
  uint64: numeric,
  double: numeric,
  time: anyScalar,
  microtime: anyScalar,
  quantity: anyScalar,
  intOrString: anyScalar,
  duration: text,
  goDuration: numeric,
  rawExtension: untypedAtomic,
  fieldsV1: deduced,
  any: deduced,
};

/** What an absent scalar is that JSON always writes; a list or map is null. */
const zeroScalars: Readonly<Record<string, JsonValue>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  uint32: 0,
  uint64: 0,
  double: 0,
  quantity: '0',
  intOrString: 0,
  duration: '0s',
  goDuration: 0,
};
/** Go structs: `omitempty` does not leave them out. */
const structScalars = new Set(['time', 'microtime', 'duration', 'quantity', 'intOrString', 'rawExtension', 'fieldsV1']);

const emptyStruct = Object.freeze({}) as JsonValue;

export function createBuiltInTypes(schemas: SchemaRegistry): BuiltInTypes {
  const types = new Map<string, MergeType>();
  const fieldsOf = new Map<string, readonly StructField[]>();

  function of(typeId: string): MergeType {
    let type = types.get(typeId);
    if (type === undefined) {
      type = compile(schemas.type(typeId));
      types.set(typeId, type);
    }
    return type;
  }

  function compile(schema: TypeSchema): MergeType {
    if (schema.jsonType !== undefined) return scalars[schema.jsonType] ?? deduced;
    if (schema.alias !== undefined) return container(schema.alias, named(schema.alias.type));
    return { map: structType(structFields(schema), { atomic: schema.structType === 'atomic' }) };
  }

  const named =
    (type: string): (() => MergeType) =>
    () =>
      scalars[type] ?? of(type);

  function structFields(schema: TypeSchema): readonly StructField[] {
    let fields = fieldsOf.get(schema.id);
    if (fields === undefined) {
      fields = [...(schema.kind ? typeMeta : []), ...schema.fields.flatMap((field) => fieldsFor(field))];
      fieldsOf.set(schema.id, fields);
    }
    return fields;
  }

  function fieldsFor(field: Field): readonly StructField[] {
    if (field.json === '-') return [];
    if (field.inline) return structFields(schemas.type(field.type));
    return [new StructField(field.json, () => fieldType(field), presence(field))];
  }

  function fieldType(field: Field): MergeType {
    const type = container(field, named(field.type));
    if (field.mapType === 'atomic' || field.structType === 'atomic') return atomically(type);
    // What the field says goes before what its type says.
    return field.structType === 'granular' ? granularly(type) : type;
  }

  /** A list or map of the element, or the element itself. */
  function container(
    { repeated, mapKey, listType: kind, listMapKeys }: Container,
    element: () => MergeType,
  ): MergeType {
    if (mapKey !== undefined)
      return { map: structType([], { element: repeated ? { list: listType(element, 'atomic') } : element() }) };
    return repeated ? { list: listType(element, kind, listMapKeys) } : element();
  }

  /** Which zero value of Go's field is written when it has none. */
  function presence(field: Field): FieldOptions {
    const fixed = field.default === undefined ? {} : { default: field.default as JsonValue };
    const isContainer =
      field.repeated || field.mapKey !== undefined || field.type === 'bytes' || isAliasOfContainer(field);
    if (field.pointer && !isContainer) return field.omitempty ? fixed : { ...fixed, absent: null };
    if (isContainer) return field.omitempty ? { ...fixed, omitsZero: true } : { ...fixed, absent: null };
    if (isStruct(field)) return { ...fixed, absent: zeroOf(field) };
    return field.omitempty ? { ...fixed, omitsZero: true } : { ...fixed, absent: zeroScalars[field.type] ?? null };
  }

  const isAliasOfContainer = (field: Field): boolean =>
    !(field.type in scalars) && schemas.type(field.type).alias !== undefined;

  const isStruct = (field: Field): boolean => structScalars.has(field.type) || !(field.type in scalars);

  function zeroOf(field: Field): JsonValue {
    if (field.type in scalars) return zeroScalars[field.type] ?? null;
    return schemas.type(field.type).jsonType === undefined ? emptyStruct : null;
  }

  return { of };
}

const typeMeta = ['kind', 'apiVersion'].map((name) => new StructField(name, () => text, { omitsZero: true }));
