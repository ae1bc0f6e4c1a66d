/**
 * Structural schemas: the shape of an object is said once, outside of allOf, anyOf, oneOf and not, so that values can
 * be pruned and defaulted without judging them.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 *   | Specifying a structural schema}
 */
import type { JSONSchemaProps } from '../../gen/types/apiextensions-v1.ts';
import { fieldErrorText, forbidden, invalid, required } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { compareText } from '../../../machinery/compare-text.ts';
import { patternProblem } from '../../../machinery/structural/patterns.ts';

type Level = 'root' | 'item' | 'field';

const preserve = 'x-kubernetes-preserve-unknown-fields';
const embedded = 'x-kubernetes-embedded-resource';
const intOrString = 'x-kubernetes-int-or-string';

const withoutType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

const unreadableMembers = [
  'id',
  '$schema',
  '$ref',
  'patternProperties',
  'dependencies',
  'additionalItems',
  'definitions',
] as const;

/** What keeps a schema from being read as a structural one at all: it cannot be told then whether it is one. */
export function unreadable(schema: JSONSchemaProps): string | undefined {
  const member = unreadableMembers.find((name) => hasContent(schema[name]));
  if (member !== undefined) return `OpenAPIV3Schema '${member.replace('$schema', 'schema')}' is not supported`;
  if (schema[preserve] === false) return `internal error: '${preserve}' must be true or undefined`;
  if (Array.isArray(schema.items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  const { allOf = [], anyOf = [], oneOf = [], not } = schema;
  for (const inside of [...allOf, ...anyOf, ...oneOf, ...(not === undefined ? [] : [not])]) {
    const problem = unreadable(inside);
    if (problem !== undefined) return problem;
  }
  for (const [inside] of shapes(schema, FieldPath.root)) {
    const problem = unreadable(inside);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Whether a keyword says something: empty maps and texts are as absent. */
export const hasContent = (value: unknown): boolean =>
  value !== undefined && value !== '' && (typeof value !== 'object' || value === null || Object.keys(value).length > 0);

/** Errors in the order of their texts. */
export function checkStructural(schema: JSONSchemaProps, path: FieldPath): FieldErrors {
  const errors = new FieldErrors();
  checkShape(schema, 'root', path, errors);
  // Upstream looks at the junctors of the root alone.
  checkJunctorsKnown(schema, schema, path, path, errors);
  return errors.sort((a, b) => compareText(fieldErrorText(a), fieldErrorText(b)));
}

/** By their schemas, what is wrong with patterns that were compiled ahead. */
const compiledAhead = new WeakMap<JSONSchemaProps, string | undefined>();

const problemOf = (schema: JSONSchemaProps): string | undefined =>
  compiledAhead.has(schema) ? compiledAhead.get(schema) : patternProblem(schema.pattern ?? '');

/** Compiles the patterns of a schema, one per step, so that the validation can yield between them. */
export function* compilePatternsAhead(root: JSONSchemaProps): Generator<void, void> {
  const todo = [root];
  for (let schema = todo.pop(); schema !== undefined; schema = todo.pop()) {
    if ((schema.pattern ?? '') !== '') {
      compiledAhead.set(schema, problemOf(schema));
      yield;
    }
    const { allOf = [], anyOf = [], oneOf = [], not } = schema;
    for (const inside of [...allOf, ...anyOf, ...oneOf, ...(not === undefined ? [] : [not])]) todo.push(inside);
    for (const [inside] of shapes(schema, FieldPath.root)) todo.push(inside);
  }
}

function checkShape(schema: JSONSchemaProps, level: Level, path: FieldPath, errors: FieldErrors): void {
  const { type = '', additionalProperties: additional } = schema;
  if (type === 'array' && schema.items === undefined) errors.push(required(path.child('items'), 'must be specified'));
  for (const [sub, at, subLevel] of shapes(schema, path)) checkShape(sub, subLevel, at, errors);
  if (level === 'root' && additional !== undefined)
    errors.push(forbidden(path.child('additionalProperties'), 'must not be used at the root'));
  checkIntOrString(schema, path, errors);
  checkJunctors(schema, path, errors, exemptions(schema));
  if (schema[embedded] === true && type !== 'object') {
    const rule = `must be object if ${embedded} is true`;
    errors.push(type === '' ? required(path.child('type'), rule) : invalid(path.child('type'), type, rule));
  } else if (type === '' && schema[intOrString] !== true && schema[preserve] !== true)
    errors.push(required(path.child('type'), withoutType[level]));
  if (schema[embedded] === true && additional !== undefined)
    errors.push(forbidden(path.child('additionalProperties'), `must not be used if ${embedded} is set`));
  if (level === 'root' && type !== '' && type !== 'object')
    errors.push(invalid(path.child('type'), type, 'must be object at the root'));
  if (level === 'root' || schema[embedded] === true)
    checkObjectMembers(schema, level, path.child('properties'), errors);
  if (schema[embedded] === true && schema[preserve] !== true && Object.keys(schema.properties ?? {}).length === 0) {
    errors.push(required(path.child('properties'), `must not be empty if ${embedded} is true without ${preserve}`));
  }
}

function* shapes(schema: JSONSchemaProps, path: FieldPath): Generator<[JSONSchemaProps, FieldPath, Level]> {
  if (schema.items !== undefined && !Array.isArray(schema.items)) yield [schema.items, path.child('items'), 'item'];
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    yield [property, path.child('properties').key(name), 'field'];
  if (typeof schema.additionalProperties === 'object')
    yield [schema.additionalProperties, path.child('additionalProperties'), 'field'];
}

function checkIntOrString(schema: JSONSchemaProps, path: FieldPath, errors: FieldErrors): void {
  if (schema[intOrString] !== true) return;
  for (const member of [preserve, embedded] as const)
    if (schema[member] === true)
      errors.push(invalid(path.child(member), true, `must be false if ${intOrString} is true`));
}

/** Members that every object has: the server knows their schemas. */
function checkObjectMembers(
  { properties = {} }: JSONSchemaProps,
  level: Level,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const name of ['kind', 'apiVersion']) {
    const property = properties[name];
    if (property !== undefined && property.type !== 'string')
      errors.push(invalid(path.key(name).child('type'), property.type ?? '', 'must be string'));
  }
  const { metadata } = properties;
  if (metadata === undefined) return;
  if (metadata.type !== 'object')
    errors.push(invalid(path.key('metadata').child('type'), metadata.type ?? '', 'must be object'));
  if (level === 'root' && hasMoreThanNames(metadata))
    errors.push(
      forbidden(
        path.key('metadata'),
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      ),
    );
}

function hasMoreThanNames(metadata: JSONSchemaProps): boolean {
  const {
    type: _type,
    default: _default,
    example: _example,
    externalDocs: _docs,
    properties = {},
    ...others
  } = metadata;
  return (
    Object.values(others).some((value) => value !== undefined && value !== false && value !== '') ||
    Object.keys(properties).some((name) => name !== 'name' && name !== 'generateName')
  );
}

interface Exemptions {
  readonly anyOf: boolean;
  readonly firstAllOf: boolean;
}

const nothingExempt: Exemptions = { anyOf: false, firstAllOf: false };

/** The two ways in which OpenAPI says integer or string, for documentation; also without the mark for such values. */
function exemptions(schema: JSONSchemaProps): Exemptions {
  return { anyOf: isIntOrString(schema.anyOf), firstAllOf: isIntOrString(schema.allOf?.[0]?.anyOf) };
}

const isIntOrString = (anyOf: readonly JSONSchemaProps[] | undefined): boolean =>
  anyOf?.length === 2 &&
  anyOf[0]!.type === 'integer' &&
  anyOf[1]!.type === 'string' &&
  anyOf.every((schema) => Object.keys(schema).length === 1);

function checkJunctors(schema: JSONSchemaProps, path: FieldPath, errors: FieldErrors, exempt: Exemptions): void {
  if (!exempt.anyOf) schema.anyOf?.forEach((sub, i) => checkNested(sub, path.child('anyOf').index(i), errors));
  schema.allOf?.forEach((sub, i) =>
    checkNested(sub, path.child('allOf').index(i), errors, { anyOf: i === 0 && exempt.firstAllOf, firstAllOf: false }),
  );
  schema.oneOf?.forEach((sub, i) => checkNested(sub, path.child('oneOf').index(i), errors));
  if (schema.not !== undefined) checkNested(schema.not, path.child('not'), errors);
  const problem = problemOf(schema);
  if (problem !== undefined)
    errors.push(
      invalid(path.child('pattern'), schema.pattern, `must be a valid regular expression, but isn't: ${problem}`),
    );
}

/** What belongs to the shape, by what it must be inside of junctors. */
const shapeMembers: readonly (readonly [keyof JSONSchemaProps, string])[] = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  [preserve, 'false'],
  [embedded, 'false'],
  [intOrString, 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
];

function checkNested(schema: JSONSchemaProps, path: FieldPath, errors: FieldErrors, exempt = nothingExempt): void {
  checkJunctors(schema, path, errors, exempt);
  // What additional properties have inside is not looked at: they are refused as a whole.
  for (const [sub, at] of shapes({ ...schema, additionalProperties: undefined }, path)) checkNested(sub, at, errors);
  for (const [member, wanted] of shapeMembers) {
    const value = schema[member];
    if (value !== undefined && value !== false && value !== '')
      errors.push(forbidden(path.child(member), `must be ${wanted} to be structural`));
  }
  if (schema.properties?.['metadata'] !== undefined)
    errors.push(forbidden(path.child('properties').key('metadata'), 'must not be specified in a nested context'));
}

/** Whatever a junctor speaks of has to be in the shape. */
function checkJunctorsKnown(
  nested: JSONSchemaProps,
  schema: JSONSchemaProps,
  schemaPath: FieldPath,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const member of ['allOf', 'anyOf', 'oneOf'] as const)
    nested[member]?.forEach((sub, i) => checkKnown(sub, schema, schemaPath, path.child(member).index(i), errors));
  if (nested.not !== undefined) checkKnown(nested.not, schema, schemaPath, path.child('not'), errors);
}

function checkKnown(
  nested: JSONSchemaProps,
  schema: JSONSchemaProps | undefined,
  schemaPath: FieldPath,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (schema === undefined)
    return void errors.push(required(schemaPath, `because it is defined in ${path.toString()}`));
  checkJunctorsKnown(nested, schema, schemaPath, path, errors);
  if (nested.items !== undefined && !Array.isArray(nested.items)) {
    const items = Array.isArray(schema.items) ? undefined : schema.items;
    checkKnown(nested.items, items, schemaPath.child('items'), path.child('items'), errors);
  }
  for (const [name, property] of Object.entries(nested.properties ?? {})) {
    const at = (parent: FieldPath): FieldPath => parent.child('properties').key(name);
    checkKnown(property, schema.properties?.[name], at(schemaPath), at(path), errors);
  }
}
