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
import { validateValue } from '../../../machinery/structural/validate.ts';
import { isObject, type JsonObject, type JsonValue, RawJson } from '../../../machinery/value.ts';

/**
 * A default may not have fields that the schema does not know, which would be pruned at once, and is valid by the
 * schema.
 */
export function checkDefaults(schema: JSONSchemaProps, path: FieldPath, errors: FieldErrors): void {
  if (schema.default !== undefined) {
    const value = plain(schema.default);
    const at = path.child('default');
    if (hasUnknown(value, schema))
      errors.push(invalid(at, new GoSyntax(goSyntax(value)), 'must not have unknown fields'));
    else
      errors.push(
        ...validateValue(value, schema as JsonObject).map((error) => ({
          ...error,
          field: error.field === '<nil>' ? at.toString() : at.child(error.field).toString(),
        })),
      );
  }
  if (schema.items !== undefined && !Array.isArray(schema.items))
    checkDefaults(schema.items, path.child('items'), errors);
  for (const name of Object.keys(schema.properties ?? {}).sort())
    checkDefaults(schema.properties![name]!, path.child('properties').key(name), errors);
}

const plain = (value: JsonValue): JsonValue => (value instanceof RawJson ? parseJson(Buffer.from(value.text)) : value);

const objectMembers = ['apiVersion', 'kind', 'metadata'];

function hasUnknown(value: JsonValue | undefined, schema: JSONSchemaProps): boolean {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items !== undefined && !Array.isArray(items) && value.some((item) => hasUnknown(item, items));
  }
  if (!isObject(value)) return false;
  return Object.entries(value).some(([name, member]) => {
    const known =
      schema.properties?.[name] ??
      (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
    if (known !== undefined) return hasUnknown(member, known);
    if (schema['x-kubernetes-embedded-resource'] === true && objectMembers.includes(name)) return false;
    return schema['x-kubernetes-preserve-unknown-fields'] !== true && schema.additionalProperties !== true;
  });
}
