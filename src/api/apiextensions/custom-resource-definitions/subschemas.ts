import type { JSONSchemaProps } from '../../gen/types/apiextensions-v1.ts';
import { compareText } from '../../../machinery/compare-text.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import type { Step } from './rule-context.ts';

export interface Subschema {
  readonly inside: JSONSchemaProps;
  readonly at: FieldPath;
  /** How it is inside, where it belongs to the shape. */
  readonly step?: Step;
  /** Of a property. */
  readonly name?: string;
}

/** Every schema directly inside, with its path, properties by name. */
export function* subschemas(schema: JSONSchemaProps, path: FieldPath): Generator<Subschema> {
  const { additionalProperties: additional, items, not, dependencies } = schema;
  if (typeof additional === 'object')
    yield { inside: additional, at: path.child('additionalProperties'), step: 'additionalProperties' };
  for (const [name, inside] of named(schema.properties))
    yield { inside, at: path.child('properties').key(name), step: 'properties', name };
  if (not !== undefined) yield { inside: not, at: path.child('not') };
  for (const member of ['allOf', 'oneOf', 'anyOf'] as const)
    for (const [i, inside] of (schema[member] ?? []).entries()) yield { inside, at: path.child(member).index(i) };
  for (const [name, inside] of named(schema.definitions)) yield { inside, at: path.child('definitions').key(name) };
  if (Array.isArray(items))
    for (const [i, inside] of items.entries()) yield { inside, at: path.child('items').index(i) };
  else if (items !== undefined) yield { inside: items, at: path.child('items'), step: 'items' };
  for (const [name, inside] of named(dependencies))
    if (!Array.isArray(inside)) yield { inside, at: path.child('dependencies').key(name) };
}

const named = <T>(members: Readonly<Record<string, T>> = {}): [string, T][] =>
  Object.entries(members).sort(([a], [b]) => compareText(a, b));

/** Whether a schema or one inside of it is one of these. */
export function someSchema(schema: JSONSchemaProps, found: (schema: JSONSchemaProps) => boolean): boolean {
  if (found(schema)) return true;
  for (const { inside } of subschemas(schema, FieldPath.root)) if (someSchema(inside, found)) return true;
  const { additionalItems, patternProperties = {} } = schema;
  const others = [
    ...(typeof additionalItems === 'object' ? [additionalItems] : []),
    ...Object.values(patternProperties),
  ];
  return others.some((inside) => someSchema(inside, found));
}
