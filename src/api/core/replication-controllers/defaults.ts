import type { ReplicationController } from '../../gen/types/core-v1.ts';
import { createMap } from '../../../machinery/value.ts';
import { setPodTemplateDefaults } from '../pod-templates/defaults.ts';

/** Selector and labels are those of the template, unless given. */
export function setReplicationControllerDefaults({ metadata, spec }: ReplicationController): void {
  const labels = spec.template?.metadata.labels;
  if (labels !== undefined && isEmpty(spec.selector)) spec.selector = Object.assign(createMap<string>(), labels);
  if (labels !== undefined && isEmpty(metadata.labels)) metadata.labels = Object.assign(createMap<string>(), labels);
  spec.replicas ??= 1;
  if (spec.template !== undefined) setPodTemplateDefaults(spec.template);
}

const isEmpty = (map: Record<string, string> | undefined): boolean =>
  map === undefined || Object.keys(map).length === 0;
