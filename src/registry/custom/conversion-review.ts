/**
 * What a conversion webhook may answer, with upstream's texts. A message begins behind the kind of the object that was
 * sent: `conversion webhook for example.com/v1, Kind=Widget failed: …`.
 */
import { checkAnnotations, checkLabels } from '../../api/meta/labels.ts';
import { aggregateText } from '../../machinery/field-error.ts';
import { FieldErrors, gathered } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { goTypeName } from '../../machinery/go-format.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';

/** What was wrong with an answer; the message is what follows the kind of the object. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
}

export interface ExpectedResponse {
  readonly apiVersion: string;
  /** Undefined: as for v1beta1, neither the kind of the answer nor its uid is looked at. */
  readonly uid: string | undefined;
  /** How many objects were sent. */
  readonly count: number;
}

/** The converted objects. Throws {@link ConversionError}. */
export function readResponse(answer: unknown, { apiVersion, uid, count }: ExpectedResponse): readonly JsonValue[] {
  const review: JsonObject = isObject(answer as JsonValue) ? (answer as JsonObject) : {};
  const received = kindOf(review);
  const expected = kindOf({ apiVersion, kind: 'ConversionReview' });
  if (uid !== undefined && received !== expected)
    throw new ConversionError(`failed: expected webhook response of ${expected}, got ${received}`);
  const { response } = review;
  if (!isObject(response)) throw new ConversionError('failed: no response provided');
  if (uid !== undefined && response['uid'] !== uid)
    throw new ConversionError(
      `failed: expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(textOf(response['uid']))}`,
    );
  const result = isObject(response['result']) ? response['result'] : {};
  const status = textOf(result['status']);
  if (status !== 'Success')
    throw new ConversionError(
      `failed: ${textOf(result['message']) || `response.result.status was '${status}', not 'Success'`}`,
    );
  const { convertedObjects } = response;
  const objects = Array.isArray(convertedObjects) ? convertedObjects : [];
  if (objects.length !== count) throw new ConversionError(`returned ${objects.length} objects, expected ${count}`);
  return objects;
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** `group/version, Kind=kind`; the group is empty where there is none. */
export function kindOf(object: JsonObject): string {
  const apiVersion = textOf(object['apiVersion']);
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${textOf(object['kind'])}`;
}

/**
 * The object as it is served: fields, labels and annotations of the converted one, all other metadata of the original.
 * Throws {@link ConversionError} for another object than the original.
 */
export function checkedObject(original: JsonObject, converted: JsonValue, apiVersion: string): JsonObject {
  const object = isObject(converted) ? converted : {};
  checkType('groupVersion', apiVersion, object['apiVersion']);
  checkType('kind', textOf(original['kind']), object['kind']);
  const before = metadataOf(original);
  const after = metadataOf(object);
  for (const [what, member] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['UID', 'uid'],
  ] as const)
    if (textOf(before[member]) !== textOf(after[member]))
      throw new ConversionError(
        `returned invalid object: must have the same ${what}: ${textOf(before[member])} != ${textOf(after[member])}`,
      );
  return { ...object, metadata: mergedMetadata(before, object['metadata']) };
}

function checkType(what: string, expected: string, received: JsonValue | undefined): void {
  if (received === expected) return;
  const types = `(expected ${expected}, received ${textOf(received)})`;
  throw new ConversionError(`returned invalid object at index 0: invalid ${what} ${types}`);
}

const metadataOf = ({ metadata }: JsonObject): JsonObject => (isObject(metadata) ? metadata : {});

function mergedMetadata(before: JsonObject, after: JsonValue | undefined): JsonObject {
  if (after === undefined) throw invalidMetadata('missing metadata in converted object');
  if (!isObject(after)) throw invalidMetadata(`invalid metadata of type ${typeName(after)} in converted object`);
  const metadata: JsonObject = { ...before };
  for (const member of ['labels', 'annotations'] as const) {
    delete metadata[member];
    const texts = after[member];
    if (texts === undefined || texts === null) continue;
    checkTexts(member, before[member], texts);
    metadata[member] = texts;
  }
  return metadata;
}

/** Labels and annotations that the webhook leaves as they were are not looked at again. */
function checkTexts(member: 'labels' | 'annotations', before: JsonValue | undefined, after: JsonValue): void {
  if (!isObject(after))
    throw invalidMetadata(`invalid metadata.${member} of type ${typeName(after)} in converted object`);
  const own = isObject(before) ? before : {};
  const names = Object.keys(after);
  for (const name of names)
    if (typeof after[name] !== 'string')
      throw invalidMetadata(
        `metadata.${member}[${name}] must be a string, but is ${typeName(after[name]!)} in converted object`,
      );
  if (names.length === Object.keys(own).length && names.every((name) => own[name] === after[name])) return;
  const errors = gathered(() => {
    const found = new FieldErrors();
    if (member === 'labels') checkLabels(after as Record<string, string>, metadataPath.child('labels'), found);
    else checkAnnotations(after as Record<string, string>, metadataPath.child('annotation'), found);
    return found;
  });
  if (errors.length > 0) throw invalidMetadata(aggregateText(errors));
}

const metadataPath = FieldPath.of('metadata');

const typeName = (value: JsonValue): string => (value === null ? '<nil>' : goTypeName(value));

const invalidMetadata = (why: string): ConversionError => new ConversionError(`returned invalid metadata: ${why}`);
