/**
 * Reads a file of `Stage` documents: YAML, several in one file, lists of them too. What a stage cannot have is refused
 * by its place, so that nothing of a file is left out in silence.
 */
import { parseYaml } from '../../../machinery/json/yaml.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../machinery/value.ts';
import { kwokVersion, orchVersion, type StageDocument } from './document.ts';
import { compileStage } from './stage.ts';
import { checkStage } from './stage-schema.ts';

/** A file that cannot be used; the message says which document, where in it, and why. */
export class StageFileError extends Error {
  override readonly name = 'StageFileError';
}

/** Throws {@link StageFileError}. */
export function parseStages(text: string): StageDocument[] {
  const stages = text.split(/^---(?=\s|$)/m).flatMap((part, index) => {
    try {
      return documentsOf(parseYaml(part).value);
    } catch (error) {
      throw new StageFileError(`document ${index + 1}: ${(error as Error).message}`, { cause: error });
    }
  });
  const names = new Set<string>();
  for (const { metadata, spec } of stages) {
    const name = `${spec.resourceRef.kind} ${metadata.name}`;
    if (names.has(name)) throw new StageFileError(`stage ${metadata.name} for ${spec.resourceRef.kind} is there twice`);
    names.add(name);
  }
  return stages;
}

function documentsOf(value: JsonValue): StageDocument[] {
  if (value === null) return [];
  if (!isObject(value)) throw new Error('is no object');
  const { apiVersion, kind } = value;
  if ((kind === 'List' || kind === 'StageList') && Array.isArray(value['items']))
    return value['items'].flatMap((item) => documentsOf(item));
  if (kind !== 'Stage' || (apiVersion !== kwokVersion && apiVersion !== orchVersion))
    throw new Error(`is a ${String(apiVersion)} ${String(kind)}, and no ${kwokVersion} or ${orchVersion} Stage`);
  return [readStage(value)];
}

function readStage(value: JsonObject): StageDocument {
  const { name } = isObject(value['metadata']) ? value['metadata'] : {};
  if (typeof name !== 'string' || name === '') throw new Error('metadata.name: is required');
  try {
    checkStage(value);
    const document = value as unknown as StageDocument;
    compileStage(document);
    return document;
  } catch (error) {
    throw new Error(`stage ${name}: ${(error as Error).message}`, { cause: error });
  }
}
