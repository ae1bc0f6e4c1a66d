/**
 * Reads YAML bodies as upstream does: the first document, converted to JSON with sorted members, then handled as a JSON
 * body.
 *
 * Reading ends at the first mistake, its work is in proportion to the text, and it can yield to the event loop: see
 * `yaml/`.
 */
import { isUtf8 } from 'node:buffer';
import { runToEnd } from '../cooperative-scheduling.ts';
import type { JsonObject, JsonValue } from '../value.ts';
import { createMap, isObject } from '../value.ts';
import { forbiddenCharacter } from '../yaml/characters.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import { type YamlDocument, YamlReader } from '../yaml/reader.ts';
import { maxDepth } from '../yaml/scanner.ts';
import { JsonBody } from './body.ts';
import { jsonText, maxValueDepth } from './reader.ts';
import { encodeJson, sortedKeys } from './writer.ts';

export { YamlError } from '../yaml/yaml-error.ts';
export { jsonToYaml, writeYaml } from './yaml-write.ts';

export interface ParsedYaml {
  readonly value: JsonValue;
  /** One text about all keys that a mapping has twice, as go-yaml words it. */
  readonly problems: readonly string[];
}

/** What a YAML document comes to in JSON. */
export interface ConvertedYaml {
  readonly json: Buffer;
  readonly problems: ParsedYaml['problems'];
}

/** A YAML document as a JSON body; duplicate keys are among its problems. Throws {@link YamlError}. */
export function readYaml(input: Uint8Array | string): JsonBody {
  const { json, problems } = runToEnd(convertYaml(input));
  return new JsonBody(json, problems);
}

/** The first document as JSON, in steps, between which other requests are served. Throws {@link YamlError}. */
export function* convertYaml(input: Uint8Array | string): Generator<void, ConvertedYaml> {
  const document = yield* documentSteps(input, maxDepth);
  return { json: jsonOf(document.value), problems: problemsOf(document) };
}

/** The first document as a value, members sorted, no deeper than {@link maxValueDepth}. Throws {@link YamlError}. */
export function parseYaml(input: Uint8Array | string): ParsedYaml {
  const document = runToEnd(documentSteps(input, maxValueDepth));
  return { value: sorted(document.value), problems: problemsOf(document) };
}

/** Characters that are read in one step. */
const stepLength = 16 * 1024;

function* documentSteps(input: Uint8Array | string, depth: number): Generator<void, YamlDocument> {
  if (typeof input !== 'string' && !isUtf8(input)) throw new YamlError('yaml: invalid leading UTF-8 octet');
  const text = jsonText(input);
  if (forbiddenCharacter.test(text)) throw new YamlError('yaml: control characters are not allowed');
  const reader = new YamlReader(text, depth);
  while (!reader.advance(stepLength)) yield;
  return reader.result();
}

const problemsOf = ({ repeated }: YamlDocument): string[] =>
  repeated.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${repeated.join('\n  ')}`];

function jsonOf(value: JsonValue): Buffer {
  try {
    return encodeJson(value);
  } catch (error) {
    // Numbers that JSON does not have, such as `.inf`.
    throw new YamlError((error as Error).message, { cause: error });
  }
}

/** A copy in which nothing is shared by aliases. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const object: JsonObject = createMap<JsonValue | undefined>();
  for (const name of sortedKeys(value)) object[name] = sorted(value[name]!);
  return object;
}
