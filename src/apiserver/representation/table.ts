/**
 * Tables that the server prints for people: columns of the kind, a cell each, and the object's metadata in the row.
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables | API
 *   Concepts: tables}
 */
import { columnsOf } from '../../api/columns.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { badRequest } from '../../machinery/status.ts';
import type { JsonObject, JsonValue } from '../../machinery/value.ts';
import type { Cell } from '../../registry/strategy.ts';
import type { StoredObject } from '../../storage/objects.ts';
import type { Encoder, Readable } from './encoder.ts';
import { partialJson } from './partial-metadata.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

export function includeObjectParameter(value: string | null): IncludeObject {
  if (value === null || value === '') return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be ` +
      `'Metadata', 'Object', 'None', or empty`,
  );
}

export interface TableOptions {
  readonly include: IncludeObject;
  readonly version: string;
  readonly now: Date;
  readonly metadata: JsonObject;
  /** Watches send the columns once. */
  readonly withColumns: boolean;
}

interface Row {
  readonly object: StoredObject;
  readonly revision: number;
}

/** The table as JSON text; rows keep the order of the objects unless the kind has its own. */
export function tableJson(
  encoder: Encoder,
  readable: Readable,
  objects: readonly Row[],
  options: TableOptions,
): Buffer {
  const head = {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata: options.metadata,
    columnDefinitions: options.withColumns ? columnDefinitions(readable) : null,
  };
  const rows = inOrder(objects, encoder, readable).map(({ object, revision }) =>
    rowJson(encoder, readable, object, revision, options),
  );
  return Buffer.from(`${JSON.stringify(head).slice(0, -1)},"rows":[${rows.join(',')}]}\n`);
}

function inOrder(rows: readonly Row[], encoder: Encoder, readable: Readable): readonly Row[] {
  const rules = readable.store!.definition.table;
  if (rules?.compare === undefined || rows.length < 2) return rows;
  const values = rows.map((row) => ({ row, value: valueOf(encoder, readable, row) }));
  return values.sort((a, b) => rules.compare!(a.value, b.value)).map(({ row }) => row);
}

const valueOf = (encoder: Encoder, readable: Readable, { object, revision }: Row): KubeObject =>
  encoder.value({ ...readable, servedVersion: storedVersion(readable) }, object, revision);

function columnDefinitions({ store, servedVersion }: Readable): JsonValue {
  const columns = servedVersion.custom?.columns ?? columnsOf(store?.group ?? '', servedVersion.kind);
  return columns.map(({ name, type, format, priority, description }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
}

function rowJson(
  encoder: Encoder,
  readable: Readable,
  object: StoredObject,
  revision: number,
  { include, version, now }: TableOptions,
): string {
  const value = valueOf(encoder, readable, { object, revision });
  const rules = readable.store!.definition.table;
  const cells: Cell[] = readable.servedVersion.custom?.cells(value, now) ??
    rules?.cells(value, { now }) ?? [value.metadata?.name ?? '', value.metadata?.creationTimestamp ?? null];
  const conditions = rules?.conditions?.(value);
  const shown = conditions === undefined ? '' : `,"conditions":${JSON.stringify(conditions)}`;
  return (
    `{"cells":${JSON.stringify(cells)}${shown},` +
    `"object":${rowObject(encoder, readable, object, revision, include, version)}}`
  );
}

/** Cells are made from the storage version, whatever version is requested. */
const storedVersion = ({ servedVersion }: Readable): Readable['servedVersion'] =>
  servedVersion.isStored || servedVersion.custom !== undefined
    ? servedVersion
    : { ...servedVersion, codec: servedVersion.codec, isStored: true };

function rowObject(
  encoder: Encoder,
  readable: Readable,
  object: StoredObject,
  revision: number,
  include: IncludeObject,
  version: string,
): string {
  if (include === 'None') return 'null';
  if (include === 'Object') return encoder.json(readable, object, revision).toString();
  // Metadata is that of the storage version too: annotations that a conversion adds are not shown.
  const json = partialJson(
    encoder.message({ ...readable, servedVersion: storedVersion(readable) }, object, revision),
    version,
  ).toString();
  const hidden = readable.store!.definition.table?.hiddenAnnotations;
  return hidden === undefined ? json : withoutAnnotations(json, hidden);
}

function withoutAnnotations(json: string, names: readonly string[]): string {
  const partial = JSON.parse(json) as { metadata: { annotations?: Record<string, string> } };
  const { annotations } = partial.metadata;
  if (annotations === undefined) return json;
  for (const name of names) delete annotations[name];
  if (Object.keys(annotations).length === 0) delete partial.metadata.annotations;
  return JSON.stringify(partial);
}
