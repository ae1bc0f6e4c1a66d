/**
 * The configuration of a node agent, all of its fields with a value.
 * @see {@link https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/ | Kubelet Configuration
 *   (v1beta1)}
 */
import { type Field, type Fields, isField, type ValuesOf } from './field.ts';
import { images } from './fields/images.ts';
import { node } from './fields/node.ts';
import { pods } from './fields/pods.ts';
import { processFields } from './fields/process.ts';
import { resources } from './fields/resources.ts';
import { serving } from './fields/serving.ts';

/** Every field of the document. */
export const configFields = { ...serving, ...node, ...pods, ...images, ...resources, ...processFields };

/** By the names of the document. Durations are in milliseconds; a text or list that is empty was not given. */
export type NodeAgentConfig = ValuesOf<typeof configFields>;

/** Of a field in the document: `authentication.webhook.enabled`. */
export type FieldName = string;

function flatten(fields: Fields, prefix: string): [FieldName, Field][] {
  return Object.entries(fields).flatMap(([name, entry]) =>
    isField(entry) ? [[`${prefix}${name}`, entry] as [FieldName, Field]] : flatten(entry, `${prefix}${name}.`),
  );
}

export const fieldsByName: ReadonlyMap<FieldName, Field> = new Map(flatten(configFields, ''));

/** A configuration from the value of each field. */
export const configOf = (value: (field: Field, name: FieldName) => unknown): NodeAgentConfig =>
  nest(configFields, '', value) as NodeAgentConfig;

const nest = (
  fields: Fields,
  prefix: string,
  value: (field: Field, name: FieldName) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, entry]) => [
      name,
      isField(entry) ? value(entry, `${prefix}${name}`) : nest(entry, `${prefix}${name}.`, value),
    ]),
  );

/** Of a configuration, or of a document as it is written. */
export const valueOf = (members: unknown, name: FieldName): unknown =>
  name
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined,
      members,
    );

/** The same configuration with other values in some fields. */
export const withValues = (config: NodeAgentConfig, changes: ReadonlyMap<FieldName, unknown>): NodeAgentConfig =>
  configOf((_, name) => (changes.has(name) ? changes.get(name) : valueOf(config, name)));

/** What holds where a document leaves a field out. */
export const defaultConfig = configOf((field) => field.default);

/** What holds where there is no document, but flags alone. */
export const configWithoutFile = configOf((field) =>
  field.withoutFile === undefined ? field.default : field.withoutFile,
);
