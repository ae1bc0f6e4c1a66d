/**
 * The annotation in which client-side `kubectl apply` keeps what it applied. Server-side apply by the manager
 * `kubectl` reads it, to take over, and keeps it current, so that one can go back.
 * @see {@link
 *   https://kubernetes.io/docs/reference/using-api/server-side-apply/#upgrading-from-client-side-apply-to-server-side-apply
 *   | upgrading}
 */
import { parseJson } from '../json/reader.ts';
import { stringifyJson } from '../json/writer.ts';
import { memberOf } from '../members.ts';
import type { KubeObject } from '../object-meta.ts';
import { createMap, isObject, type JsonObject, type JsonValue } from '../value.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Upstream's limit of all annotations of an object, in bytes. */
const MAX_ANNOTATION_BYTES = 256 * 1024;

/** The configuration in the annotation; undefined without one that can be read. */
export function lastAppliedOf(object: KubeObject): JsonObject | undefined {
  const text = annotationsOf(object)[LAST_APPLIED];
  if (text === undefined || text === '') return undefined;
  try {
    const config = parseJson(text);
    return isObject(config) ? config : undefined;
  } catch {
    return undefined;
  }
}

/** The object with the annotation set to the configuration, if it has the annotation. Too long a text drops it. */
export function withLastApplied(object: KubeObject, config: JsonObject): KubeObject {
  const annotations = annotationsOf(object);
  if ((annotations[LAST_APPLIED] ?? '') === '') return object;
  const changed = Object.assign(createMap<string>(), annotations);
  changed[LAST_APPLIED] = `${stringifyJson(withoutAnnotation(config))}\n`;
  if (totalBytes(changed) > MAX_ANNOTATION_BYTES) delete (changed as Record<string, string | undefined>)[LAST_APPLIED];
  return { ...object, metadata: { ...object.metadata, annotations: changed } };
}

function annotationsOf(object: KubeObject): Readonly<Record<string, string | undefined>> {
  return object.metadata?.annotations ?? {};
}

function withoutAnnotation(config: JsonObject): JsonObject {
  const metadata = memberOf(config, 'metadata');
  const annotations = isObject(metadata) ? memberOf(metadata, 'annotations') : undefined;
  if (!isObject(metadata) || !isObject(annotations) || memberOf(annotations, LAST_APPLIED) === undefined) return config;
  const rest = Object.assign(createMap<JsonValue | undefined>(), annotations, { [LAST_APPLIED]: undefined });
  return { ...config, metadata: { ...metadata, annotations: rest } };
}

const totalBytes = (annotations: Record<string, string>): number =>
  Object.keys(annotations).reduce((sum, key) => sum + Buffer.byteLength(key) + Buffer.byteLength(annotations[key]!), 0);
