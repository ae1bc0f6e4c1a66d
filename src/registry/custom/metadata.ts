/** Metadata inside of custom objects: of the object itself, and of objects embedded in it. */
import { embeddedObjects } from '../../api/apiextensions/embedded-objects.ts';
import type { TypeCodec } from '../../machinery/codec/index.ts';
import { fieldErrorText, invalid } from '../../machinery/field-error.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { goSyntax } from '../../machinery/go-format.ts';
import { GoSyntax } from '../../machinery/go-quote.ts';
import { JsonTypeError } from '../../machinery/json/json-error.ts';
import { ProblemList } from '../../machinery/json/problems.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';
import type { Structural } from '../../machinery/structural/schema.ts';

export interface MetadataOptions {
  readonly codec: TypeCodec;
  /** What cannot be read goes, instead of being an error: objects that are stored already. */
  readonly dropInvalid: boolean;
}

/** Normalizes metadata, at the top and of every embedded object. Returns the unknown members. */
export function coerceMetadata(object: JsonObject, schema: Structural, options: MetadataOptions): string[] {
  const problems = new ProblemList(false);
  for (const problem of coerceAt(object, '', options)) problems.add(problem);
  for (const [path, embedded] of embeddedObjects(object, schema)) {
    for (const name of ['apiVersion', 'kind'] as const) coerceText(embedded, name, path, options);
    try {
      for (const problem of coerceAt(embedded, path.toString(), options)) problems.add(problem);
    } catch (error) {
      if (!(error instanceof JsonTypeError)) throw error;
      throw wrongMember(path.child('metadata'), embedded['metadata']!, error.message);
    }
  }
  return problems.slice();
}

function coerceText(object: JsonObject, name: string, path: FieldPath, { dropInvalid }: MetadataOptions): void {
  const value = object[name];
  if (value === undefined || typeof value === 'string') return;
  if (!dropInvalid) throw wrongMember(path.child(name), value, 'must be a string');
  delete object[name];
}

function wrongMember(path: FieldPath, value: JsonValue, message: string): JsonTypeError {
  const shown =
    value === null || typeof value === 'string' || typeof value === 'boolean' ? value : new GoSyntax(goSyntax(value));
  return new JsonTypeError(fieldErrorText(invalid(path, shown, message)));
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
