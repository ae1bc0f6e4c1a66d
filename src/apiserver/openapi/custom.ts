/**
 * Definitions of custom resources, from the schemas that users wrote. Version 3 has them as they are; clients of
 * version 2 fail at junctors, defaults and null, so these are left out there.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#publish-validation-schema-in-openapi
 *   | Publish validation schema in OpenAPI}
 */
import type { ResourceInfo } from '../../api/resources.ts';
import { keysOf, memberOf } from '../../machinery/members.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';
import { definitionName, reference, type Dialect } from './schema-definitions.ts';

const objectMeta = 'meta/v1.ObjectMeta';
const listMeta = 'meta/v1.ListMeta';

/** What the definitions below refer to. */
export const customReferences: readonly string[] = [objectMeta, listMeta];

/** Definitions of a resource by type id: of its kind, and of its lists. */
export function customDefinitions(
  { type, name, group, version, kind, listKind, schema }: ResourceInfo,
  dialect: Dialect,
): readonly (readonly [string, JsonObject])[] {
  if (schema === undefined) return [];
  const gvk = (ofKind: string): JsonObject => ({
    'x-kubernetes-group-version-kind': [{ group, kind: ofKind, version }],
  });
  const items = { description: `The ${name}.`, type: 'array', items: reference(dialect, definitionName(type)) };
  return [
    [type, { ...definitionOf(schema, dialect), ...gvk(kind) }],
    [
      `${type}List`,
      {
        description: `A list of ${name}.`,
        type: 'object',
        required: ['items'],
        properties: {
          ...identity,
          items,
          metadata: referring(listMeta, 'Standard list metadata: its version, and how to continue it.', dialect),
        },
        ...gvk(listKind ?? `${kind}List`),
      },
    ],
  ];
}

const isOpen = (schema: JsonObject): boolean => memberOf(schema, 'x-kubernetes-preserve-unknown-fields') === true;

/** Clients of version 2 refuse every member that is not listed: of open objects they are told none. */
function definitionOf(schema: JsonObject, dialect: Dialect): JsonObject {
  if (dialect === 'v3') return withIdentity(schema, dialect, true);
  return isOpen(schema) ? { type: 'object' } : withIdentity(simplified(schema), dialect, true);
}

/** Tests of conformance look for the beginnings of these descriptions. */
const identity: JsonObject = {
  apiVersion: {
    description:
      'APIVersion defines the schema that the object is written in by group and version, for example apps/v1.',
    type: 'string',
  },
  kind: {
    description: 'Kind is the name of the schema in CamelCase, for example Deployment. It cannot be changed.',
    type: 'string',
  },
};

function referring(id: string, description: string, dialect: Dialect): JsonObject {
  const target = reference(dialect, definitionName(id));
  return dialect === 'v2' ? { description, ...target } : { description, allOf: [target] };
}

/** Members that every object has, in the object and in the objects embedded in it. */
function withIdentity(schema: JsonObject, dialect: Dialect, isObjectItself = false): JsonObject {
  const result: JsonObject = { ...schema };
  const properties = memberOf(schema, 'properties');
  if (isObject(properties)) result['properties'] = mapped(properties, (property) => withIdentity(property, dialect));
  for (const member of ['items', 'additionalProperties']) {
    const sub = memberOf(schema, member);
    if (isObject(sub)) result[member] = withIdentity(sub, dialect);
  }
  if (!isObjectItself && memberOf(schema, 'x-kubernetes-embedded-resource') !== true) return result;
  if (dialect === 'v2' && isOpen(schema)) return result;
  result['properties'] = {
    ...(isObject(result['properties']) ? result['properties'] : {}),
    ...identity,
    metadata: referring(
      objectMeta,
      "Standard object's metadata: name, namespace, labels, annotations and what else every object has.",
      dialect,
    ),
  };
  return result;
}

const mapped = (object: JsonObject, change: (value: JsonObject) => JsonObject): JsonObject =>
  Object.fromEntries(
    keysOf(object)
      .sort()
      .map((name) => [name, isObject(object[name]) ? change(object[name]) : object[name]]),
  );

const dropped: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'default', 'nullable']);
/** What describes a value that may be null, or may have more than is known. */
const shape: ReadonlySet<string> = new Set(['properties', 'items', 'additionalProperties', 'required']);

function simplified(schema: JsonObject): JsonObject {
  const isNullable = memberOf(schema, 'nullable') === true;
  const hasNoShape = isNullable || isOpen(schema);
  const result: JsonObject = {};
  for (const name of keysOf(schema)) {
    if (dropped.has(name) || (isNullable && name === 'type') || (hasNoShape && shape.has(name))) continue;
    const value = schema[name]!;
    if (name === 'properties') result[name] = mapped(value as JsonObject, simplified);
    else if ((name === 'items' || name === 'additionalProperties') && isObject(value)) result[name] = simplified(value);
    else if (name !== 'additionalProperties' || value !== true)
      result[name] = name === 'required' ? withoutNullable(value, schema) : value;
  }
  return result;
}

function withoutNullable(required: JsonValue, schema: JsonObject): JsonValue {
  const properties = memberOf(schema, 'properties');
  const isNullable = (name: JsonValue): boolean => {
    const property = isObject(properties) && typeof name === 'string' ? memberOf(properties, name) : undefined;
    return isObject(property) && memberOf(property, 'nullable') === true;
  };
  return Array.isArray(required) ? required.filter((name) => !isNullable(name)) : required;
}
