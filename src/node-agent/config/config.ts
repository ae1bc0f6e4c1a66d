/**
 * The configuration of a node agent, all of its fields with a value.
 * @see {@link https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/ | Kubelet Configuration (v1beta1)}
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

const valuesOf = (fields: Fields, value: (field: Field) => unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, entry]) => [name, isField(entry) ? value(entry) : valuesOf(entry, value)]),
  );

/** What holds where a document leaves a field out. */
export const defaultConfig = valuesOf(configFields, (field) => field.default) as NodeAgentConfig;

/** What holds where there is no document, but flags alone. */
export const configWithoutFile = valuesOf(configFields, (field) =>
  field.withoutFile === undefined ? field.default : field.withoutFile,
) as NodeAgentConfig;
