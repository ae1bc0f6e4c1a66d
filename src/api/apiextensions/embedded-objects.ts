/**
 * Objects within custom objects (`x-kubernetes-embedded-resource`): they have a version, a kind and metadata.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#rawextension |
 *   RawExtension}
 */
import { invalid, required } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { isDns1035Label } from '../../machinery/formats/names.ts';
import { GoSyntax, shownJson } from '../../machinery/go-quote.ts';
import type { ObjectMeta } from '../../machinery/object-meta.ts';
import type { Structural } from '../../machinery/structural/schema.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';
import { pathSegmentName } from '../meta/name-rules.ts';
import { validateObjectMeta } from '../meta/object-meta.ts';

/** Each with its path, from the outside in. The root is none of them: it has no path. */
export function* embeddedObjects(
  value: JsonValue | undefined,
  schema: Structural,
  path = FieldPath.root,
): Generator<[FieldPath, JsonObject]> {
  if (Array.isArray(value)) {
    if (schema.items !== undefined)
      for (const [i, item] of value.entries()) yield* embeddedObjects(item, schema.items, path.index(i));
    return;
  }
  if (!isObject(value)) return;
  if (schema.embedded && path !== FieldPath.root) yield [path, value];
  for (const [name, member] of Object.entries(value)) {
    const property = schema.properties.get(name);
    if (property !== undefined) yield* embeddedObjects(member, property, path.child(name));
    else if (schema.additional !== undefined && schema.additional !== true)
      yield* embeddedObjects(member, schema.additional, path.key(name));
  }
}

/** Embedded objects have kind and apiVersion, and metadata that any object could have. */
export function checkEmbedded(
  value: JsonValue | undefined,
  schema: Structural,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const [at, embedded] of embeddedObjects(value, schema, path)) {
    checkVersion(embedded['apiVersion'], at.child('apiVersion'), errors);
    checkKind(embedded['kind'], at.child('kind'), errors);
    if (isObject(embedded['metadata'])) checkMeta(embedded['metadata'] as ObjectMeta, at.child('metadata'), errors);
  }
}

/** Returns the text, when there is one that says something. */
function checkText(value: JsonValue | undefined, path: FieldPath, errors: FieldErrors): string | undefined {
  if (value === undefined) errors.push(required(path, 'must not be empty'));
  else if (typeof value !== 'string') errors.push(invalid(path, new GoSyntax(shownJson(value)), 'must be a string'));
  else if (value === '') errors.push(invalid(path, value, 'must not be empty'));
  else return value;
  return undefined;
}

function checkVersion(value: JsonValue | undefined, path: FieldPath, errors: FieldErrors): void {
  const text = checkText(value, path, errors);
  if (text !== undefined && text.split('/').length > 2)
    errors.push(invalid(path, text, `unexpected GroupVersion string: ${text}`));
}

function checkKind(value: JsonValue | undefined, path: FieldPath, errors: FieldErrors): void {
  const text = checkText(value, path, errors);
  const messages = text === undefined ? [] : isDns1035Label(text.toLowerCase());
  if (messages.length > 0)
    errors.push(invalid(path, text, `may have mixed case, but should otherwise match: ${messages.join(',')}`));
}

/** Its name may be yet to come. */
function checkMeta(meta: ObjectMeta, path: FieldPath, errors: FieldErrors): void {
  const named = (meta.name ?? '') === '' ? { ...meta, name: 'yet-to-come' } : meta;
  const namespaced = (meta.namespace ?? '') !== '';
  errors.push(...validateObjectMeta(named, { namespaced, validateName: pathSegmentName, path }));
}
