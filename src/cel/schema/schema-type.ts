/**
 * The types of a structural schema: what expressions may say about a value, how it is read from JSON, and how big it
 * can be. Sizes that a schema does not limit are limited by the request that brings them.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules |
 *   Validation rules}
 */
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
} from '../check/types.ts';
import { upTo } from '../cost/range.ts';
import type { SizeOf } from '../cost/estimate.ts';
import { CelError, Double, type ListSemantics, type Value } from '../values/values.ts';
import { work } from '../values/evaluation-limit.ts';
import { readBytes, readDate, readDateTime, readDuration } from './formats.ts';
import { type Adapt, adaptAny, JsonList, JsonMap, JsonObjectValue } from './json-values.ts';
import { escapeName } from './names.ts';

/** As much of a JSONSchemaProps as types come from. */
export interface OpenApiSchema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly items?: OpenApiSchema | readonly OpenApiSchema[];
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly maxLength?: number | bigint;
  readonly maxItems?: number | bigint;
  readonly maxProperties?: number | bigint;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
}

export interface SchemaType {
  readonly type: CelType;
  /** JSON that the schema accepts as a value; for other JSON the value is an error. */
  readonly adapt: Adapt;
  /** Elements of a list or map, four times the characters of a text; 0 where there is nothing to count. */
  readonly maxSize: number;
  /** Of the JSON, in bytes. */
  readonly minBytes: number;
  /** Of a list or map. */
  readonly element?: SchemaType;
  /** Of an object, by the name that expressions use. */
  readonly fields?: ReadonlyMap<string, SchemaType>;
}

/** A request is no longer, in bytes. */
export const maxRequestBytes = 3 * 1024 * 1024;
const maxTextInRequest = maxRequestBytes - 2;

/** The length of the longest text of a format in JSON, and of the shortest. */
const durationBytes = { max: 32, min: 2 };
const dateBytes = 10;
const dateTimeBytes = { max: 32, min: 21 };

const limitOf = (limit: number | bigint | undefined): number | undefined =>
  limit === undefined ? undefined : Math.max(0, Number(limit));

const simple = (type: CelType, adapt: Adapt, minBytes: number, maxSize = 0): SchemaType => ({
  type,
  adapt,
  minBytes,
  maxSize,
});

const wrong = (json: unknown, wanted: string): CelError =>
  new CelError(`invalid data, expected ${wanted}, got ${json === null ? 'null' : typeof json}`);
const adaptString: Adapt = (json) => (typeof json === 'string' ? json : wrong(json, 'string'));
const adaptInt: Adapt = (json) =>
  typeof json === 'number' || typeof json === 'bigint' ? adaptAny(json) : wrong(json, 'int');
const adaptDouble: Adapt = (json) =>
  typeof json === 'number' || typeof json === 'bigint' ? new Double(Number(json)) : wrong(json, 'float');
const adaptBool: Adapt = (json) => (typeof json === 'boolean' ? json : wrong(json, 'bool'));
/** A text with a format is read each time an expression asks for it, which takes a step for so many characters. */
const charactersPerStep = 16;
const adaptText =
  (read: (text: string) => Value): Adapt =>
  (json) => {
    if (typeof json !== 'string') return wrong(json, 'string');
    work(Math.floor(json.length / charactersPerStep));
    return read(json);
  };

const boolSchema = simple(boolType, adaptBool, 4);
const intSchema = simple(intType, adaptInt, 1);
const doubleSchema = simple(doubleType, adaptDouble, 1);
/** What is either is typed when it is looked at. */
const intOrString = simple(dynType, adaptAny, 1, maxTextInRequest);
const stringSchema = simple(stringType, adaptString, 2, maxTextInRequest);

/** What every object has at its root, whatever its schema says. */
const rootProperties: Readonly<Record<string, OpenApiSchema>> = {
  kind: { type: 'string' },
  apiVersion: { type: 'string' },
  metadata: { type: 'object', properties: { name: { type: 'string' }, generateName: { type: 'string' } } },
};

const known = new WeakMap<OpenApiSchema, Map<string, SchemaType | undefined>>();
let typeNames = 0;

/**
 * The type of a schema as `self` has it, or undefined when expressions can say nothing about such values (no type, as
 * with preserved unknown fields). Cheap when asked again for the same schema object, which must not change.
 *
 * @param isRoot the schema is that of a whole resource (or of an embedded one): apiVersion, kind and the name are there
 */
export function schemaType(
  schema: OpenApiSchema,
  isRoot = schema['x-kubernetes-embedded-resource'] === true,
): SchemaType | undefined {
  const forms = known.get(schema) ?? new Map<string, SchemaType | undefined>();
  known.set(schema, forms);
  const key = isRoot ? 'root' : 'inner';
  if (!forms.has(key)) forms.set(key, build(schema, isRoot, { name: `selfType${++typeNames}`, escape: escapeName }));
  return forms.get(key);
}

/**
 * A type of a fixed schema under a name of its own, for what is no custom resource. Names of properties are not
 * escaped.
 */
export const namedSchemaType = (name: string, schema: OpenApiSchema): SchemaType =>
  build(schema, false, { name, escape: (property) => property })!;

const isEmbedded = (schema: OpenApiSchema): boolean => schema['x-kubernetes-embedded-resource'] === true;

/** How types and fields are named. */
interface Names {
  readonly name: string;
  readonly escape: (property: string) => string | undefined;
}

const below = (names: Names, step: string): Names => ({ ...names, name: `${names.name}.${step}` });

function build(schema: OpenApiSchema, isRoot: boolean, names: Names): SchemaType | undefined {
  const built = buildPlain(schema, isRoot, names);
  if (built === undefined || schema.nullable !== true) return built;
  const { adapt } = built;
  return { ...built, adapt: (json) => (json === null ? null : adapt(json)) };
}

function buildPlain(schema: OpenApiSchema, isRoot: boolean, names: Names): SchemaType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return intOrString;
  switch (isRoot ? 'object' : schema.type) {
    case 'array':
      return buildList(schema, names);
    case 'object':
      return typeof schema.additionalProperties === 'object' && !isRoot
        ? buildMap(schema, schema.additionalProperties, names)
        : buildObject(schema, isRoot, names);
    case 'string':
      return buildString(schema);
    case 'boolean':
      return boolSchema;
    case 'number':
      return doubleSchema;
    case 'integer':
      return intSchema;
    default:
      return undefined;
  }
}

function buildList(schema: OpenApiSchema, names: Names): SchemaType | undefined {
  const { items } = schema;
  if (items === undefined || Array.isArray(items)) return undefined;
  const element = build(items as OpenApiSchema, isEmbedded(items as OpenApiSchema), below(names, '@idx'));
  if (element === undefined) return undefined;
  const semantics = semanticsOf(schema);
  const adapt: Adapt = (json) =>
    Array.isArray(json) ? new JsonList(json, element.adapt, semantics) : wrong(json, 'array');
  const maxSize = limitOf(schema.maxItems) ?? Math.floor((maxRequestBytes - 2) / (element.minBytes + 1));
  return { type: listType(element.type), adapt, maxSize, minBytes: 2, element };
}

function semanticsOf(schema: OpenApiSchema): ListSemantics | undefined {
  const kind = schema['x-kubernetes-list-type'];
  return kind === 'set' || kind === 'map'
    ? { kind, keys: (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => escapeName(key) ?? key) }
    : undefined;
}

const isMembers = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

function buildMap(schema: OpenApiSchema, values: OpenApiSchema, names: Names): SchemaType | undefined {
  const element = build(values, isEmbedded(values), below(names, '@elem'));
  if (element === undefined) return undefined;
  const adapt: Adapt = (json) => (isMembers(json) ? new JsonMap(json, element.adapt) : wrong(json, 'map'));
  // A key of one character with quotes, a colon and a comma.
  const maxSize = limitOf(schema.maxProperties) ?? Math.floor((maxRequestBytes - 2) / (element.minBytes + 6));
  return { type: mapType(stringType, element.type), adapt, maxSize, minBytes: 2, element };
}

function buildObject(schema: OpenApiSchema, isRoot: boolean, names: Names): SchemaType {
  const properties = isRoot
    ? { ...rootProperties, ...schema.properties, metadata: rootProperties['metadata']! }
    : (schema.properties ?? {});
  const fields = new Map<string, SchemaType>();
  const shapeFields = new Map<string, { json: string; adapt: Adapt }>();
  let minBytes = 2;
  for (const [property, sub] of Object.entries(properties)) {
    const escaped = names.escape(property);
    const field = build(sub, isEmbedded(sub), below(names, escaped ?? property));
    if (field === undefined) continue;
    if (schema.required?.includes(property) === true && sub.default === undefined)
      minBytes += property.length + field.minBytes + 4;
    if (escaped === undefined) continue;
    fields.set(escaped, field);
    shapeFields.set(escaped, { json: property, adapt: field.adapt });
  }
  const type = objectType(names.name, (field) => fields.get(field)?.type);
  const shape = { type, fields: shapeFields };
  const adapt: Adapt = (json) => (isMembers(json) ? new JsonObjectValue(json, shape) : wrong(json, 'map'));
  return { type, adapt, maxSize: 0, minBytes, fields };
}

function buildString(schema: OpenApiSchema): SchemaType {
  const max = limitOf(schema.maxLength);
  switch (schema.format) {
    case 'byte':
      return simple(bytesType, adaptText(readBytes), 2, max ?? maxTextInRequest);
    case 'duration':
      return simple(durationType, adaptText(readDuration), durationBytes.min, durationBytes.max);
    case 'date':
      return simple(timestampType, adaptText(readDate), dateBytes, dateBytes);
    case 'date-time':
      return simple(timestampType, adaptText(readDateTime), dateTimeBytes.min, dateTimeBytes.max);
    default:
      break;
  }
  // Lengths in schemas count characters, sizes here bytes.
  if (max !== undefined) return { ...stringSchema, maxSize: max * 4 };
  const values = (schema.enum ?? []).filter((value) => typeof value === 'string');
  return values.length === 0
    ? stringSchema
    : { ...stringSchema, maxSize: Math.max(...values.map((value) => Buffer.byteLength(value))) };
}

/** How many values of a type one request can hold. */
export const maxInRequest = ({ minBytes }: SchemaType): number => Math.floor(maxRequestBytes / (minBytes + 1));

/** Sizes below variables whose types come from schemas. */
export const sizesIn =
  (roots: Readonly<Record<string, SchemaType>>): SizeOf =>
  ([root, ...steps]) => {
    let at = roots[root!];
    if (at === undefined) return undefined;
    for (const step of steps) {
      if (step === '@keys')
        return at.element === undefined || at.fields !== undefined ? undefined : upTo(maxTextInRequest);
      const next: SchemaType | undefined = step === '@items' || step === '@values' ? at.element : at.fields?.get(step);
      if (next === undefined) return undefined;
      at = next;
    }
    return upTo(at.maxSize);
  };
