/** Documents of configuration as they are written, and as they are shown. */
import { readConfigurationDocument } from '../../machinery/configuration-document.ts';
import { readShape, type Shape } from '../../machinery/document-shape.ts';
import { formatDuration } from '../../machinery/duration.ts';
import type { FieldError } from '../../machinery/field-error.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';
import { configFields, configOf, fieldsByName, type NodeAgentConfig, valueOf } from './config.ts';
import { type Field, type Fields, isField } from './field.ts';

/** Ours is the specification's spelling of the other. */
const identities = [
  { apiVersions: ['kubelet.config.k8s.io/v1beta1'], kind: 'KubeletConfiguration' },
  { apiVersions: ['nodeagent.config.orch.io/v1beta1'], kind: 'NodeAgentConfiguration' },
] as const;

const shapeOf = (fields: Fields): Shape =>
  Object.fromEntries(
    Object.entries(fields).map(([name, entry]) => [name, isField(entry) ? entry.shape : shapeOf(entry)]),
  );

const shape = shapeOf(configFields);

/**
 * The members of a document besides its type, paths resolved.
 *
 * @param resolve makes a path absolute that is relative to the document
 * @throws Error that names each field that is wrong, unknown or given twice
 */
export const readDocument = (text: string, resolve: (path: string) => string): JsonObject =>
  readConfigurationDocument(text, identities, (members, errors) => {
    readShape(members, shape, FieldPath.root, errors);
    return withPaths(configFields, members as JsonObject, resolve);
  });

function withPaths(fields: Fields, members: JsonObject, resolve: (path: string) => string): JsonObject {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => {
      const entry = fields[name];
      if (entry === undefined) return [name, value];
      if (!isField(entry)) return [name, isObject(value) ? withPaths(entry, value, resolve) : value];
      const isPath = entry.kind === 'path' && typeof value === 'string' && value !== '';
      return [name, isPath ? resolve(value) : value];
    }),
  );
}

/** Fills in what a document leaves out. */
export function configFrom(members: JsonObject): NodeAgentConfig {
  const given = (name: string, field: Field): unknown => {
    const errors: FieldError[] = [];
    const value = readShape(valueOf(members, name), field.shape, FieldPath.root, errors);
    return value === undefined || (isZero(value) && field.keepsZero !== true) ? undefined : value;
  };
  const defaults: Readonly<Record<string, () => unknown>> = {
    nodeStatusReportFrequency: () => given('nodeStatusUpdateFrequency', fieldsByName.get('nodeStatusUpdateFrequency')!),
    serializeImagePulls: () => Number(members['maxParallelImagePulls'] ?? 0) < 2,
  };
  return configOf((field, name) => given(name, field) ?? defaults[name]?.() ?? field.default);
}

/** Of a switch no value is as if it were left out: `false` is said. */
const isZero = (value: unknown): boolean => value === 0 || value === '';

const nanosecondsPerMillisecond = 1e6;

/** The document of a configuration, all that is not empty in it: what `/configz` shows. */
export function formatConfig(config: NodeAgentConfig): JsonObject {
  return formatFields(configFields, config);
}

function formatFields(fields: Fields, values: object): JsonObject {
  const members: JsonObject = {};
  for (const [name, entry] of Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const value = (values as Record<string, unknown>)[name];
    if (!isField(entry)) members[name] = formatFields(entry, value as object);
    else if (!isOmitted(entry, value)) members[name] = formatValue(entry, value);
  }
  return members;
}

function isOmitted(field: Field, value: unknown): boolean {
  if (value === undefined) return true;
  if (field.kind === 'object' || field.kind === 'texts' || field.kind === 'textMap' || field.kind === 'gates')
    return Object.keys(value as object).length === 0;
  return (
    field.kind !== 'duration' &&
    field.keepsZero !== true &&
    (isZero(value) || (value === false && field.default === false))
  );
}

const formatValue = (field: Field, value: unknown): JsonValue =>
  field.kind === 'duration'
    ? formatDuration(Math.round((value as number) * nanosecondsPerMillisecond))
    : (value as JsonValue);
