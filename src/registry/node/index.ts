import { setRuntimeClassDefaults } from '../../api/node/runtime-classes/validation.ts';
import type { RuntimeClass } from '../../api/gen/types/node-v1.ts';
import { ageCell } from '../../api/table/cells.ts';
import { defineResource, type ResourceDefinition, type VersionRules } from '../strategy.ts';
import { runtimeClassStrategy } from './runtime-classes/strategy.ts';

export const node: readonly ResourceDefinition[] = [
  defineResource<RuntimeClass>({
    group: 'node.k8s.io',
    resource: 'runtimeclasses',
    versions: { v1: { defaults: setRuntimeClassDefaults } as VersionRules },
    strategy: runtimeClassStrategy,
    table: {
      cells: ({ metadata, handler }, { now }) => [
        metadata.name ?? '',
        handler ?? '',
        ageCell(metadata.creationTimestamp, now),
      ],
    },
  }),
];
