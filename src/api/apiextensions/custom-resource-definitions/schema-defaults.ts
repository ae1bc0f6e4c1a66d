/**
 * Defaults in schemas. @see {@link
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting |
 * Defaulting}
 */
import type { JSONSchemaProps } from '../../gen/types/apiextensions-v1.ts';
import { invalid } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { goSyntax } from '../../../machinery/go-format.ts';
import { GoSyntax } from '../../../machinery/go-quote.ts';
import { parseJson } from '../../../machinery/json/reader.ts';
import { judgeDefault, type RuleBudget } from '../object-rules.ts';
import { someSchema } from './subschemas.ts';
import { readStructural, type Structural } from '../../../machinery/structural/schema.ts';
import { checkEmbedded } from '../embedded-objects.ts';
import { validateValue } from '../../../machinery/structural/validate.ts';
import { createMap, isObject, type JsonObject, type JsonValue, RawJson } from '../../../machinery/value.ts';

/**
 * A default may not have fields that the schema does not know, which would be pruned at once, and is valid by the
 * schema and by its rules in CEL. In steps, those of each rule.
 *
 * @NOTE differs from upstream: all versions of a definition share what these rules may cost.
 */
export function* checkDefaults(
  schema: JSONSchemaProps,
  path: FieldPath,
  errors: FieldErrors,
  rules: DefaultRules,
): Generator<void, void> {
  const structural = readStructural(schema as JsonObject);
  if (structural.hasDefaults)
    yield* checkNode({ schema, judged: withoutIntOrString(schema), structural }, path, errors, rules);
}

export interface DefaultRules {
  readonly needsPrunedDefaults: boolean;
  readonly isRatcheting: boolean;
  /** What the rules in CEL about all defaults may cost. */
  readonly budget: RuleBudget;
}

/** The same schema in three forms. */
interface Node {
  readonly schema: JSONSchemaProps;
  readonly judged: JSONSchemaProps;
  readonly structural: Structural;
}

function* checkNode(node: Node, path: FieldPath, errors: FieldErrors, rules: DefaultRules): Generator<void, void> {
  const { schema, judged, structural } = node;
  if (schema.default !== undefined) yield* checkDefault(node, path.child('default'), errors, rules);
  if (structural.items !== undefined && rules.budget.left >= 0)
    yield* checkNode(
      {
        schema: schema.items as JSONSchemaProps,
        judged: judged.items as JSONSchemaProps,
        structural: structural.items,
      },
      path.child('items'),
      errors,
      rules,
    );
  for (const name of Object.keys(schema.properties ?? {}).sort()) {
    if (rules.budget.left < 0) return;
    yield* checkNode(
      {
        schema: schema.properties![name]!,
        judged: judged.properties![name]!,
        structural: structural.properties.get(name)!,
      },
      path.child('properties').key(name),
      errors,
      rules,
    );
  }
}

function* checkDefault(
  { schema, judged, structural }: Node,
  path: FieldPath,
  errors: FieldErrors,
  rules: DefaultRules,
): Generator<void, void> {
  const value = plain(schema.default!);
  if (rules.needsPrunedDefaults && hasUnknown(value, schema, structural.embedded))
    errors.push(invalid(path, new GoSyntax(goSyntax(value)), 'must not have unknown fields'));
  const before = errors.length;
  checkEmbedded(value, structural, path, errors);
  if (errors.length > before) return;
  errors.push(
    ...validateValue(value, judged as JsonObject).map((error) => ({
      ...error,
      field: error.field === '<nil>' ? path.toString() : path.child(error.field).toString(),
    })),
  );
  // Rules about what is not valid by the schema say nothing.
  if (errors.length === before)
    errors.push(...(yield* judgeDefault(structural, structural.embedded, value, path, rules)));
}

/** Whether a default in a structural schema has fields that would be pruned. */
export const hasUnprunedDefaults = (schema: JSONSchemaProps): boolean =>
  someSchema(
    schema,
    (inside) => inside.default !== undefined && hasUnknown(plain(inside.default), inside, isEmbedded(inside)),
  );

/** Upstream takes integers and texts in objects where the schema says so, and judges defaults by their type alone. */
function withoutIntOrString({ 'x-kubernetes-int-or-string': _, ...schema }: JSONSchemaProps): JSONSchemaProps {
  const { items, properties, additionalProperties: additional, not } = schema;
  const inside = (list: readonly JSONSchemaProps[]): JSONSchemaProps[] => list.map(withoutIntOrString);
  return {
    ...schema,
    ...(items !== undefined && { items: Array.isArray(items) ? inside(items) : withoutIntOrString(items) }),
    ...(properties !== undefined && { properties: mapped(properties, withoutIntOrString) }),
    ...(typeof additional === 'object' && { additionalProperties: withoutIntOrString(additional) }),
    ...(not !== undefined && { not: withoutIntOrString(not) }),
    ...(schema.allOf !== undefined && { allOf: inside(schema.allOf) }),
    ...(schema.anyOf !== undefined && { anyOf: inside(schema.anyOf) }),
    ...(schema.oneOf !== undefined && { oneOf: inside(schema.oneOf) }),
  };
}

function mapped<T>(members: Readonly<Record<string, T>>, change: (member: T) => T): Record<string, T> {
  const map = createMap<T>();
  for (const [name, member] of Object.entries(members)) map[name] = change(member);
  return map;
}

const plain = (value: JsonValue): JsonValue => (value instanceof RawJson ? parseJson(Buffer.from(value.text)) : value);

const isEmbedded = (schema: JSONSchemaProps): boolean => schema['x-kubernetes-embedded-resource'] === true;

const objectMembers = ['apiVersion', 'kind', 'metadata'];

function hasUnknown(value: JsonValue | undefined, schema: JSONSchemaProps, embedded: boolean): boolean {
  if (Array.isArray(value)) {
    const { items } = schema;
    return (
      items !== undefined && !Array.isArray(items) && value.some((item) => hasUnknown(item, items, isEmbedded(items)))
    );
  }
  if (!isObject(value)) return false;
  return Object.entries(value).some(([name, member]) => {
    const known =
      schema.properties?.[name] ??
      (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
    if (known !== undefined) return hasUnknown(member, known, isEmbedded(known));
    if (embedded && objectMembers.includes(name)) return false;
    return schema['x-kubernetes-preserve-unknown-fields'] !== true && schema.additionalProperties !== true;
  });
}
