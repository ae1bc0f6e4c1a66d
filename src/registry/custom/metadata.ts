/** Metadata inside of custom objects: of the object itself, and of objects embedded in it. */
import type { TypeCodec } from '../../machinery/codec/index.ts';
import { invalid, required } from '../../machinery/field-error.ts';
import { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { JsonTypeError } from '../../machinery/json/json-error.ts';
import { ProblemList } from '../../machinery/json/problems.ts';
import { asJson, type KubeObject, type ObjectMeta } from '../../machinery/object-meta.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';
import type { Structural } from '../../machinery/structural/schema.ts';
import { pathSegmentErrors } from '../generic/common-fields.ts';
import { validateObjectMeta } from '../../api/meta/object-meta.ts';

export interface MetadataOptions {
  readonly codec: TypeCodec;
  /** What cannot be read goes, instead of being an error: objects that are stored already. */
  readonly dropInvalid: boolean;
}

/** Normalizes metadata, at the top and of every embedded object. Returns the unknown members. */
export function coerceMetadata(object: JsonObject, schema: Structural, options: MetadataOptions): string[] {
  const problems = new ProblemList(false);
  for (const problem of coerceAt(object, '', options)) problems.add(problem);
  for (const [path, embedded] of embeddedObjects(object, schema))
    for (const problem of coerceAt(embedded, path, options)) problems.add(problem);
  return problems.slice();
}

function coerceAt(object: JsonObject, path: string, { codec, dropInvalid }: MetadataOptions): string[] {
  const { metadata } = object;
  if (metadata === undefined || metadata === null) {
    if (path === '') object['metadata'] = {};
    return [];
  }
  const at = path === '' ? 'metadata' : `${path}.metadata`;
  try {
    const { value, problems } = codec.normalize(metadata, at);
    object['metadata'] = value;
    return [...problems];
  } catch (error) {
    if (!dropInvalid || !(error instanceof JsonTypeError)) throw error;
    object['metadata'] = isObject(metadata) ? readable(metadata, codec) : {};
    return [];
  }
}

/** Member by member: one that cannot be read does not take the others with it. */
function readable(metadata: JsonObject, codec: TypeCodec): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(metadata)) {
    try {
      Object.assign(kept, codec.normalize({ [name]: value }).value);
    } catch (error) {
      if (!(error instanceof JsonTypeError)) throw error;
    }
  }
  return kept;
}

/** Objects inside of the object, with their paths. */
export function* embeddedObjects(
  value: JsonValue | undefined,
  schema: Structural,
  path = '',
): Generator<[string, JsonObject]> {
  if (Array.isArray(value)) {
    if (schema.items !== undefined)
      for (const [i, item] of value.entries()) yield* embeddedObjects(item, schema.items, `${path}[${i}]`);
    return;
  }
  if (!isObject(value)) return;
  if (schema.embedded && path !== '') yield [path, value];
  for (const [name, member] of Object.entries(value)) {
    const known = schema.properties.get(name) ?? schema.additional;
    if (known !== undefined && known !== true)
      yield* embeddedObjects(member, known, path === '' ? name : `${path}.${name}`);
  }
}

/** Embedded objects have kind and apiVersion, and metadata that any object could have. */
export function validateEmbedded(object: KubeObject, schema: Structural): FieldErrors {
  const errors = new FieldErrors();
  for (const [path, embedded] of embeddedObjects(asJson(object), schema)) {
    const at = FieldPath.of(path);
    checkIdentity(embedded, at, errors);
    if (isObject(embedded['metadata']))
      checkEmbeddedMeta(embedded['metadata'] as ObjectMeta, at.child('metadata'), errors);
  }
  return errors;
}

function checkIdentity(embedded: JsonObject, path: FieldPath, errors: FieldErrors): void {
  const { apiVersion, kind } = embedded;
  if (typeof apiVersion !== 'string' || apiVersion === '')
    errors.push(required(path.child('apiVersion'), 'must not be empty'));
  else if (apiVersion.split('/').length > 2)
    errors.push(invalid(path.child('apiVersion'), apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  if (typeof kind !== 'string' || kind === '') errors.push(required(path.child('kind'), 'must not be empty'));
  else if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/i.test(kind))
    errors.push(invalid(path.child('kind'), kind, 'must be a kind'));
}

/** Its names are those of whatever it will be: only what no object may have is refused. */
function checkEmbeddedMeta(meta: ObjectMeta, path: FieldPath, errors: FieldErrors): void {
  if ((meta.name ?? '') === '' && (meta.generateName ?? '') === '') return;
  errors.push(
    ...validateObjectMeta(meta, { namespaced: (meta.namespace ?? '') !== '', validateName: pathSegmentErrors, path }),
  );
}
