/** What endpoints tell the audit log: the object of the request as it was understood, and the one of the answer. */
import type { TypeCodec } from '../../machinery/codec/index.ts';
import { parseJson } from '../../machinery/json/reader.ts';
import { stringifyJson } from '../../machinery/json/writer.ts';
import { asJson, type KubeObject } from '../../machinery/object-meta.ts';
import { isObject, type JsonObject, type JsonValue, RawJson } from '../../machinery/value.ts';
import type { ServedVersion } from '../../registry/generic/served-version.ts';
import type { ApiRequest, RequestRecord } from '../request/request.ts';
import type { TextBody } from './text-body.ts';

/** Before anything changes the object. */
export function recordObject(
  { audit }: ApiRequest,
  { codec, apiVersion, kind }: ServedVersion,
  object: KubeObject,
): void {
  if (audit === undefined) return;
  if (object.metadata !== undefined) audit.completeReference(object.metadata);
  if (audit.keepsRequest)
    audit.keepRequest(objectText(audit, codec.toJson(asJson(object), { typeMeta: { apiVersion, kind } })));
}

/** An options object that is the body. @param apiVersion as claimed; empty when it claims nothing */
export function recordOptions(
  { audit }: ApiRequest,
  codec: TypeCodec,
  kind: string,
  apiVersion: string,
  options: JsonObject,
): void {
  if (audit?.keepsRequest === true)
    audit.keepRequest(
      codec
        .toJson(options, { typeMeta: { apiVersion: apiVersion === '' ? 'meta.k8s.io/v1' : apiVersion, kind } })
        .toString(),
    );
}

/** The patch itself, as JSON. One that cannot be read is refused later. */
export function recordPatch({ audit }: ApiRequest, read: TextBody): void {
  if (audit?.keepsRequest !== true) return;
  try {
    audit.keepRequest(stringifyJson(new RawJson(read().text).asValue()));
  } catch {
    // Nothing to show.
  }
}

/** @param json makes the answer as JSON, whatever encoding the client gets; called only where it is needed */
export function recordAnswer({ audit }: ApiRequest, json: () => Buffer): void {
  if (audit?.keepsResponse === true) audit.keepResponse(objectText(audit, json()));
}

function objectText({ omitsManagedFields }: RequestRecord, json: Buffer): string {
  return omitsManagedFields ? stringifyJson(withoutManagedFields(parseJson(json))) : json.toString().trimEnd();
}

/** Of an object, of the items of a list, of the objects in the rows of a table. */
function withoutManagedFields(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const { metadata, items, rows } = value;
  if (isObject(metadata)) delete metadata['managedFields'];
  if (Array.isArray(items)) items.forEach(withoutManagedFields);
  if (Array.isArray(rows))
    for (const row of rows) if (isObject(row) && isObject(row['object'])) withoutManagedFields(row['object']);
  return value;
}
