/**
 * Schemas of our types as OpenAPI definitions, in the two dialects that clients read.
 *
 * Version 2 has plain references and no defaults (clients of old would send them); version 3 wraps a reference that has
 * siblings in `allOf` and carries defaults: declared ones, the zero value where JSON always has the member, and {} for
 * structs.
 *
 * @see {@link https://github.com/OAI/OpenAPI-Specification/blob/main/versions/2.0.md | OpenAPI 2.0}
 * @see {@link https://github.com/OAI/OpenAPI-Specification/blob/main/versions/3.0.0.md | OpenAPI 3.0.0}
 */
import { descriptionOf } from '../../api/descriptions.ts';
import { schemas } from '../../api/schemas.ts';
import type { Field, JsonType, TypeSchema } from '../../machinery/schema.ts';
import type { JsonObject, JsonValue } from '../../machinery/value.ts';
import { groupVersionKinds } from './kinds.ts';

export type Dialect = 'v2' | 'v3';

const REFERENCE: Record<Dialect, string> = { v2: '#/definitions/', v3: '#/components/schemas/' };

/** Type ids behind the scalars that have a definition of their own. */
const SCALAR_DEFINITIONS: Readonly<Record<string, string>> = {
  time: 'meta/v1.Time',
  microtime: 'meta/v1.MicroTime',
  duration: 'meta/v1.Duration',
  fieldsV1: 'meta/v1.FieldsV1',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  rawExtension: 'runtime.RawExtension',
};

const PRIMITIVES: Readonly<Record<string, { schema: JsonObject; zero?: JsonValue }>> = {
  string: { schema: { type: 'string' }, zero: '' },
  bytes: { schema: { type: 'string', format: 'byte' } },
  bool: { schema: { type: 'boolean' }, zero: false },
  int32: { schema: { type: 'integer', format: 'int32' }, zero: 0 },
  int64: { schema: { type: 'integer', format: 'int64' }, zero: 0 },
  uint32: { schema: { type: 'integer', format: 'int64' }, zero: 0 },
  uint64: { schema: { type: 'integer', format: 'int64' }, zero: 0 },
  goDuration: { schema: { type: 'integer', format: 'int64' }, zero: 0 },
  double: { schema: { type: 'number', format: 'double' }, zero: 0 },
  any: { schema: { type: 'object' } },
};

/** Bodies of definitions that do not list the fields of their message. */
const FORMS: Readonly<Record<JsonType, JsonObject | Record<Dialect, JsonObject>>> = {
  time: { type: 'string', format: 'date-time' },
  microtime: { type: 'string', format: 'date-time' },
  duration: { type: 'string' },
  fieldsV1: { type: 'object' },
  rawExtension: { type: 'object' },
  quantity: { v2: { type: 'string' }, v3: { oneOf: [{ type: 'string' }, { type: 'number' }] } },
  intOrString: {
    v2: { type: 'string', format: 'int-or-string' },
    v3: { oneOf: [{ type: 'integer' }, { type: 'string' }], format: 'int-or-string' },
  },
  json: {},
  unknown: {},
  schemaOrArray: {},
  schemaOrBool: {},
  schemaOrStringArray: {},
};

/** `io.k8s.api.core.v1.Pod` for `core/v1.Pod`. */
export function definitionName(id: string): string {
  if (id.startsWith(customPrefix)) return id.slice(customPrefix.length);
  const dot = id.indexOf('.');
  return `${PREFIXES.get(id.slice(0, dot)) ?? ''}.${id.slice(dot + 1)}`;
}

const customPrefix = 'custom:';

const PREFIXES = new Map(schemas.packages.map(({ name, openapiPrefix }) => [name, openapiPrefix]));

export const reference = (dialect: Dialect, name: string): JsonObject => ({ $ref: REFERENCE[dialect] + name });

export interface CustomDefinition {
  readonly definition: JsonObject;
  /** Type ids that it refers to. */
  readonly references: readonly string[];
}

/** Definitions of one dialect, each made once. */
export class SchemaDefinitions {
  readonly #dialect: Dialect;
  readonly #made = new Map<string, JsonObject>();
  readonly #custom: ReadonlyMap<string, CustomDefinition>;

  /** @param custom definitions that do not come from our own types, by type id */
  constructor(dialect: Dialect, custom: ReadonlyMap<string, CustomDefinition> = new Map()) {
    this.#dialect = dialect;
    this.#custom = custom;
  }

  get(id: string): JsonObject {
    let definition = this.#made.get(id);
    if (definition === undefined)
      this.#made.set(id, (definition = this.#custom.get(id)?.definition ?? new Builder(this.#dialect).definition(id)));
    return definition;
  }

  /** Definitions of these types and of all that they refer to, by name and sorted. */
  closure(ids: Iterable<string>): JsonObject {
    const found = new Set<string>();
    const waiting = [...ids];
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      if (found.has(id)) continue;
      found.add(id);
      waiting.push(...(this.#custom.get(id)?.references ?? referredTypes(schemas.type(id))));
    }
    const named = [...found].map((id) => [definitionName(id), this.get(id)] as const);
    return Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** Types that the definition of a type refers to, looking through inlined structs and named lists. */
function referredTypes(type: TypeSchema): string[] {
  if (type.jsonType) return [];
  return type.fields.flatMap((field) => {
    if (field.inline) return referredTypes(schemas.type(field.type));
    if (field.json === '-' || field.json === '') return [];
    const target = SCALAR_DEFINITIONS[field.type] ?? (field.type in PRIMITIVES ? undefined : field.type);
    if (target === undefined) return [];
    const alias = schemas.type(target).alias;
    return alias === undefined ? [target] : alias.type in PRIMITIVES ? [] : [alias.type];
  });
}

class Builder {
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  definition(id: string): JsonObject {
    const type = schemas.type(id);
    const { text } = descriptionOf(id);
    return {
      ...(text && { description: text }),
      ...(type.jsonType ? this.#form(type.jsonType) : this.#struct(type)),
      ...(type.structType === 'atomic' && { 'x-kubernetes-map-type': 'atomic' }),
      ...(type.unions && { 'x-kubernetes-unions': type.unions.map(unionExtension) }),
      ...groupVersionKinds(type),
    };
  }

  #form(servedVersion: JsonType): JsonObject {
    const body = FORMS[servedVersion];
    return 'v2' in body ? (body as Record<Dialect, JsonObject>)[this.#dialect] : (body as JsonObject);
  }

  #struct(type: TypeSchema): JsonObject {
    const members = this.#members(type);
    if (type.kind) members.push(...KIND_MEMBERS);
    const properties = members.map(({ name, schema }) => [name, schema] as const).sort(([a], [b]) => (a < b ? -1 : 1));
    const required = members.filter((member) => member.required).map(({ name }) => name);
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    };
  }

  #members(type: TypeSchema): Member[] {
    const { fields: texts } = descriptionOf(type.id);
    return type.fields.flatMap((field) => {
      if (field.inline) return this.#members(schemas.type(field.type));
      if (field.json === '-' || field.json === '') return [];
      return [
        { name: field.json, schema: this.#property(field, texts[field.json]), required: field.required ?? false },
      ];
    });
  }

  #property(field: Field, description: string | undefined): JsonObject {
    const siblings = { ...(description && { description }) };
    const extensions = fieldExtensions(field);
    const item = (): JsonObject => this.#value(field, {}, {}, true);
    if (field.mapKey) return { ...siblings, type: 'object', additionalProperties: item(), ...extensions };
    if (field.repeated) return { ...siblings, type: 'array', items: item(), ...extensions };
    const value = this.#value(field, siblings, extensions, !field.pointer && !field.omitempty);
    const { $ref } = value;
    return this.#dialect === 'v3' && $ref !== undefined ? { allOf: [{ $ref }] } : value;
  }

  /** One value: `always` says that JSON always has it, so that its zero value is the default. */
  #value(field: Field, siblings: JsonObject, extensions: JsonObject, always: boolean): JsonObject {
    const primitive = PRIMITIVES[field.type];
    if (primitive !== undefined) {
      const initial =
        field.default === undefined ? (always ? primitive.zero : undefined) : (field.default as JsonValue);
      return { ...siblings, ...primitive.schema, ...this.#default(initial), ...enumeration(field), ...extensions };
    }
    const target = SCALAR_DEFINITIONS[field.type] ?? field.type;
    const type = schemas.type(target);
    if (type.alias) return { ...siblings, ...this.#aliased(type.alias), ...extensions };
    const isStruct = !type.jsonType && (!field.pointer || field.repeated === true || field.mapKey !== undefined);
    return this.#refer(target, { ...siblings, ...this.#default(isStruct ? {} : undefined), ...extensions });
  }

  #refer(id: string, siblings: JsonObject): JsonObject {
    const target = reference(this.#dialect, definitionName(id));
    if (this.#dialect === 'v2' || Object.keys(siblings).length === 0) return { ...siblings, ...target };
    return { ...siblings, allOf: [target] };
  }

  #aliased({ type, repeated, mapKey }: NonNullable<TypeSchema['alias']>): JsonObject {
    const item = this.#value({ json: '', name: '', type }, {}, {}, true);
    if (mapKey) return { type: 'object', additionalProperties: item };
    return repeated ? { type: 'array', items: item } : item;
  }

  #default(value: JsonValue | undefined): JsonObject {
    return value === undefined || this.#dialect === 'v2' ? {} : { default: value };
  }
}

interface Member {
  readonly name: string;
  readonly schema: JsonObject;
  readonly required?: boolean;
}

const KIND_MEMBERS: readonly Member[] = [
  {
    name: 'apiVersion',
    schema: {
      description: 'Group and version of the schema that the object is written in, for example apps/v1.',
      type: 'string',
    },
  },
  {
    name: 'kind',
    schema: {
      description: 'Kind of the object, in CamelCase, for example Deployment. It cannot be changed.',
      type: 'string',
    },
  },
];

const enumeration = (field: Field): JsonObject => (field.enum ? { enum: [...field.enum] } : {});

function fieldExtensions(field: Field): JsonObject {
  const mapType = field.mapType ?? field.structType;
  return {
    ...(field.listMapKeys && { 'x-kubernetes-list-map-keys': [...field.listMapKeys] }),
    ...(field.listType && { 'x-kubernetes-list-type': field.listType }),
    ...(mapType && { 'x-kubernetes-map-type': mapType }),
    ...(field.patchMergeKey && { 'x-kubernetes-patch-merge-key': field.patchMergeKey }),
    ...(field.patchStrategy && { 'x-kubernetes-patch-strategy': field.patchStrategy }),
  };
}

function unionExtension({ discriminator, fields }: NonNullable<TypeSchema['unions']>[number]): JsonObject {
  const values = fields.map(({ fieldName, discriminatorValue }) => [fieldName, discriminatorValue]);
  return {
    ...(discriminator && { discriminator }),
    'fields-to-discriminateBy': Object.fromEntries(values) as JsonObject,
  };
}
