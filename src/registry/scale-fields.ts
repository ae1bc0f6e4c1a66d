import { requirementsOf, type LabelSelector } from '../machinery/label-selector.ts';
import { selectorText } from '../machinery/label-selector-text.ts';
import { asJson, type KubeObject } from '../machinery/object-meta.ts';
import type { JsonObject } from '../machinery/value.ts';
import type { CatalogEntry } from './catalog.ts';
import { builtInReplicas, type ScaleFields } from './generic/scale-values.ts';

/**
 * Where each scalable kind keeps its replicas and its selector. Replication controllers have a plain map, the others a
 * label selector.
 */
export function scaleFieldsOf({
  info: { name },
  servedVersion: { custom },
}: Pick<CatalogEntry, 'info' | 'servedVersion'>): ScaleFields {
  if (custom?.scale !== undefined) return custom.scale;
  const selectorOf = (object: KubeObject): unknown => (asJson(object)['spec'] as JsonObject | undefined)?.['selector'];
  if (name === 'replicationcontrollers') {
    return {
      ...builtInReplicas,
      selectorText: (object) => mapText((selectorOf(object) ?? {}) as Record<string, string>),
    };
  }
  return {
    ...builtInReplicas,
    selectorText: (object) => selectorText(requirementsOf(selectorOf(object) as LabelSelector | undefined)),
  };
}

const mapText = (labels: Readonly<Record<string, string>>): string =>
  Object.keys(labels)
    .sort()
    .map((key) => `${key}=${labels[key]!}`)
    .join(',');
