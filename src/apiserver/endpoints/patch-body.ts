/** Patches of requests, one shape for all four types: what the object becomes. */
import { invalid as invalidField } from '../../machinery/field-error.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { compareText } from '../../machinery/compare-text.ts';
import type { Decoded } from '../../machinery/json/body.ts';
import { JsonSyntaxError, JsonTypeError } from '../../machinery/json/json-error.ts';
import { parseJson } from '../../machinery/json/reader.ts';
import { stringifyJson } from '../../machinery/json/writer.ts';
import { YamlError } from '../../machinery/json/yaml.ts';
import { patchedText, patchText } from '../../machinery/patch/texts.ts';
import { asJson, type KubeObject } from '../../machinery/object-meta.ts';
import { decodeJsonPatch } from '../../machinery/patch/json-patch-document.ts';
import { applyJsonPatch } from '../../machinery/patch/json-patch.ts';
import { applyMergePatch, decodeMergePatch } from '../../machinery/patch/merge-patch.ts';
import { decodeStrategicMergePatch } from '../../machinery/patch/strategic-merge.ts';
import { badRequest, invalid as invalidStatus, StatusError, unsupportedMediaType } from '../../machinery/status.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';
import type { EndpointContext } from './context.ts';
import { goType, internalType } from './go-types.ts';
import type { ServedResource } from '../served/served-resource.ts';
import { reportProblems, warnings } from './strict-decoding.ts';
import type { TextBody } from './text-body.ts';
import type { FieldValidation } from './write-parameters.ts';
import { applyConfiguration } from './apply.ts';
import { withManagedFields } from './managed-scale.ts';
import type { PatchEnvironment } from './patch-environment.ts';

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

const typeOf: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

const customTypes = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];

/** Throws 415. Nothing is known of the lists of custom objects that a strategic merge would need. */
export function patchType(contentType: string | undefined, isCustom: boolean): PatchType {
  const type = typeOf[(contentType ?? '').split(';', 1)[0]!.trim().toLowerCase()];
  if (isCustom && (type === undefined || type === 'strategic')) throw unsupportedMediaType(customTypes);
  if (type === undefined) throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  return type;
}

export interface Patch {
  /** Apply keeps the books of field ownership itself. */
  readonly ownsItsFields: boolean;
  /** The changed object in the storage version. `current` is absent for apply only, which may create. */
  apply(current: KubeObject | undefined, copy: () => KubeObject): KubeObject;
}

/** The body is read when there is an object to patch: without one, what is wrong with the patch is not told. */
export function createPatch(type: PatchType, body: TextBody, given: Omit<PatchEnvironment, 'decode'>): Patch {
  if (type === 'apply') return createApply(body, given);
  let read: Change | undefined;
  return {
    ownsItsFields: false,
    apply: (current, copy) => {
      read ??= changeOf(type, body, given);
      const { change, ...problems } = read;
      const { servedVersion } = given.served;
      const shown = withManagedFields(given.served, servedVersion.fromStored(current!), current!);
      const changed = change(inJson(given.served, shown, given.context.toEncodedJson));
      return servedVersion.toStored(decoded(changed, problems, given), copy);
    },
  };
}

function createApply(body: TextBody, given: Omit<PatchEnvironment, 'decode'>): Patch {
  const { value, problems } = parseConfiguration(body);
  const apply = applyConfiguration(value, {
    ...given,
    decode: (object) => decoded(object as JsonValue, { problems: [] }, given),
  });
  return {
    ownsItsFields: true,
    apply: (current, copy) => {
      const object = apply(current, copy);
      const converting = problems.map((problem) => `error converting YAML to JSON: ${problem}`);
      const { fieldValidation } = given.parameters;
      // Conflicts and fields without a schema are told before keys that are there twice.
      if (fieldValidation === 'Strict' && converting.length > 0)
        throw badRequest(`error strict decoding YAML: ${converting.join(', ')}`);
      if (fieldValidation === 'Warn') converting.flatMap(warnings).forEach(given.warn);
      return object;
    },
  };
}

interface Problems {
  /** What strict decoding refuses in the patch itself: duplicate fields, members that no operation has. */
  readonly problems: readonly string[];
  /** What the answer shows when the result cannot be read; the result itself when absent. */
  readonly shown?: () => string;
  /** What does not fit in the result, where the decoder would word it in another way. */
  readonly wordsOf?: (result: JsonObject) => string | undefined;
}

interface Change extends Problems {
  readonly change: (document: JsonObject) => JsonValue;
}

function changeOf(
  type: Exclude<PatchType, 'apply'>,
  body: TextBody,
  { context, served, parameters }: Omit<PatchEnvironment, 'decode'>,
): Change {
  const { value, problems } = parsePatch(type, body, parameters.fieldValidation);
  if (type === 'json') {
    const { operations, problems: found } = decodeJsonPatch(value, parameters.fieldValidation, problems);
    return { change: (document) => applyJsonPatch(document, operations), problems: found };
  }
  if (type === 'merge') {
    const patch = decodeMergePatch(value, parameters.fieldValidation);
    return { change: (document) => applyMergePatch(document, patch), problems };
  }
  const patch = decodeStrategicMergePatch(value);
  // It works on an object whose kind is settled: what a patch says of it, such as an older version, changes nothing.
  const change = (document: JsonObject): JsonObject => ({
    ...context.strategicMerge.apply(document, patch, served.servedVersion.typeId),
    apiVersion: served.servedVersion.apiVersion,
    kind: served.servedVersion.kind,
  });
  return {
    change,
    problems,
    shown: () => patchText(patch),
    wordsOf: (result) => context.strategicMerge.problemOf(result, served.servedVersion.typeId),
  };
}

function parsePatch(
  type: Exclude<PatchType, 'apply'>,
  read: TextBody,
  validation: FieldValidation,
): Decoded<JsonValue> {
  try {
    return read().value();
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw badRequest(syntaxProblem(type, error.message, validation), { cause: error });
  }
}

/** Each type of patch, and each kind of validation, has another reader upstream. */
function syntaxProblem(type: Exclude<PatchType, 'apply'>, message: string, validation: FieldValidation): string {
  if (type === 'strategic') return message;
  if (validation !== 'Ignore') return `error decoding patch: ${message}`;
  return type === 'merge' ? 'Invalid JSON Patch' : message;
}

const jsonProblem = 'error unmarshaling JSON: while decoding JSON';

function parseConfiguration(read: TextBody): Decoded {
  let decodedBody: Decoded<JsonValue>;
  try {
    decodedBody = read().value();
  } catch (error) {
    if (error instanceof YamlError)
      throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`, { cause: error });
    if (error instanceof JsonSyntaxError || error instanceof JsonTypeError)
      throw badRequest(`error decoding YAML: ${jsonProblem}: ${error.message}`, { cause: error });
    throw error;
  }
  const { value, problems } = decodedBody;
  if (value === null) return { value: {}, problems };
  if (isObject(value)) return { value, problems };
  throw badRequest(
    `error decoding YAML: ${jsonProblem}: json: cannot unmarshal ${goTypeOf(value)} into Go value of type ` +
      'map[string]interface {}',
  );
}

const goTypeOf = (value: JsonValue): string =>
  Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;

/**
 * The object as its JSON shows it, nothing of it shared: patches see members that are always written, and kind and
 * apiVersion.
 */
function inJson(
  { servedVersion }: ServedResource,
  object: KubeObject,
  toEncodedJson: EndpointContext['toEncodedJson'],
): JsonObject {
  if (servedVersion.custom !== undefined) return openedMetadata(asJson(object));
  return {
    apiVersion: servedVersion.apiVersion,
    kind: servedVersion.kind,
    ...toEncodedJson(asJson(object), servedVersion.typeId),
  };
}

/** Custom objects are what JSON says, but for what their metadata carries. */
const openedMetadata = (object: JsonObject): JsonObject => parseJson(stringifyJson(object)) as JsonObject;

/** What came out must still be an object of the kind; what fits no field of it is reported like in any body. */
function decoded(
  value: JsonValue,
  { problems: patchProblems, shown = () => patchedText(value), wordsOf }: Problems,
  { context, served, parameters, warn }: Omit<PatchEnvironment, 'decode'>,
): KubeObject {
  const { servedVersion } = served;
  try {
    checkKind(value as JsonObject, servedVersion, context);
    const { value: normal, problems } = servedVersion.codec.normalize(value);
    // A strategic merge has members in no order, so that what is wrong with them is sorted.
    const own = wordsOf === undefined ? problems : [...problems].sort(compareText);
    reportProblems([...patchProblems, ...own], parameters.fieldValidation, warn, (text) => {
      throw new StrictProblem(text);
    });
    servedVersion.setDefaults(normal as KubeObject);
    return normal as KubeObject;
  } catch (error) {
    if (!(error instanceof JsonTypeError)) throw error;
    const words = error instanceof StrictProblem ? undefined : wordsOf?.(value as JsonObject);
    const field = FieldPath.of('patch');
    throw invalidStatus({ group: '', kind: '' }, '', [invalidField(field, shown(), words ?? error.message)]);
  }
}

class StrictProblem extends JsonTypeError {}

/** The result is read as what it says it is: a malformed Secret is that before it is no ConfigMap. */
function checkKind(
  object: JsonObject,
  servedVersion: ServedResource['servedVersion'],
  { schemas, codecs }: EndpointContext,
): void {
  const apiVersion = object['apiVersion'] ?? servedVersion.apiVersion;
  const kind = object['kind'] ?? servedVersion.kind;
  // Another kind than that of its definition is found out when a custom object is validated.
  if (apiVersion === servedVersion.apiVersion && (kind === servedVersion.kind || servedVersion.custom !== undefined))
    return;
  const typeId =
    typeof apiVersion === 'string' && typeof kind === 'string' ? schemas.ofKind(apiVersion, kind) : undefined;
  if (typeId === undefined || kind === servedVersion.kind)
    throw new JsonTypeError(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme ` +
        '"k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"',
    );
  codecs.of(typeId).normalize(object);
  throw new JsonTypeError(
    `converting (${goType(apiVersion as string, kind as string)}) to ` +
      `(${internalType(servedVersion.apiVersion, servedVersion.kind)}): unknown conversion`,
  );
}
