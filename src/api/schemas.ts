/** The registry over the generated schema; a type is read from it when it is first asked for. */
import type { Field, PackageSchema, SchemaRegistry, TypeSchema } from '../machinery/schema.ts';
import { lines, packages } from './gen/schema.ts';
import { LineTable } from './line-table.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type FieldEntry = [json: string, type: string, number: number, flags: number, properties?: Partial<Field>];
type TypeEntry = [name: string, properties: Partial<Mutable<TypeSchema>>, fields: FieldEntry[]];

const [REPEATED, POINTER, OMITEMPTY, INLINE, REQUIRED] = [1, 2, 4, 8, 16];
const SCALARS: ReadonlySet<string> = new Set([
  'string',
  'bytes',
  'bool',
  'int32',
  'int64',
  'uint32',
  'uint64',
  'double',
  'time',
  'microtime',
  'duration',
  'fieldsV1',
  'quantity',
  'intOrString',
  'rawExtension',
  'goDuration',
  'any',
]);

/** Kinds of meta/v1 that are read under other versions too: a predicate on apiVersion. */
const META_KINDS: Readonly<Record<string, (apiVersion: string) => boolean>> = {
  ...kindsIn(
    () => true,
    'ListOptions',
    'GetOptions',
    'CreateOptions',
    'UpdateOptions',
    'PatchOptions',
    'DeleteOptions',
  ),
  ...kindsIn(
    (apiVersion) => apiVersion === 'v1',
    'Status',
    'APIVersions',
    'APIGroup',
    'APIGroupList',
    'APIResourceList',
  ),
  ...kindsIn((apiVersion) => apiVersion === 'meta.k8s.io/v1beta1', 'Table', 'TableOptions', 'PartialObjectMetadata'),
};

function kindsIn(
  predicate: (apiVersion: string) => boolean,
  ...kinds: string[]
): Record<string, (apiVersion: string) => boolean> {
  return Object.fromEntries(kinds.map((kind) => [kind, predicate]));
}

const table = new LineTable<TypeEntry>(lines);
const types = new Map<string, TypeSchema>();
const packageOfApiVersion = new Map<string, string>();
for (const { group, version, name } of packages) {
  if (version !== '') packageOfApiVersion.set(group === '' ? version : `${group}/${version}`, name);
}

function type(id: string): TypeSchema {
  const known = types.get(id);
  if (known !== undefined) return known;
  const dot = id.indexOf('.');
  const entry = table.entry(id.slice(0, dot), id.slice(dot + 1));
  if (entry === undefined) throw new Error(`no type ${id}`);
  const schema = expandType(id.slice(0, dot), entry);
  types.set(id, schema);
  return schema;
}

function ofKind(apiVersion: string, kind: string): string | undefined {
  const name = packageOfApiVersion.get(apiVersion);
  if (name !== undefined && table.has(name, kind) && type(`${name}.${kind}`).kind) return `${name}.${kind}`;
  return Object.hasOwn(META_KINDS, kind) && META_KINDS[kind]?.(apiVersion) ? `meta/v1.${kind}` : undefined;
}

function expandType(packageName: string, [name, properties, fields]: TypeEntry): TypeSchema {
  const { alias, ...rest } = properties;
  return {
    id: `${packageName}.${name}`,
    ...rest,
    ...(alias && { alias: { ...alias, type: fullName(packageName, alias.type) } }),
    fields: fields.map((field) => expandField(packageName, field)),
  };
}

function expandField(packageName: string, [json, typeName, number, flags, properties = {}]: FieldEntry): Field {
  const field: Mutable<Field> = {
    json,
    name: json.charAt(0).toUpperCase() + json.slice(1),
    type: fullName(packageName, typeName),
    ...properties,
  };
  if (number !== 0) field.number = number;
  if (flags & REPEATED) field.repeated = true;
  if (flags & POINTER) field.pointer = true;
  if (flags & OMITEMPTY) field.omitempty = true;
  if (flags & INLINE) field.inline = true;
  if (flags & REQUIRED) field.required = true;
  for (const key of ['named', 'keyNamed', 'alias'] as const) {
    if (properties[key] !== undefined) field[key] = fullName(packageName, properties[key]);
  }
  return field;
}

const fullName = (packageName: string, name: string): string =>
  SCALARS.has(name) || name.includes('.') ? name : `${packageName}.${name}`;

export const schemas: SchemaRegistry = {
  packages: packages satisfies readonly PackageSchema[],
  typesOf: (packageName) => table.names(packageName),
  type,
  ofKind,
};
