import { setFlowSchemaDefaults } from '../../api/flowcontrol/flow-schemas/validation.ts';
import { setPriorityLevelDefaults } from '../../api/flowcontrol/priority-level-configurations/validation.ts';
import { compareFlowSchemas, flowSchemaCells, priorityLevelCells } from '../../api/flowcontrol/table.ts';
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/gen/types/flowcontrol-v1.ts';
import { defineResource, type ResourceDefinition, type VersionRules } from '../strategy.ts';
import { flowSchemaStatusStrategy, flowSchemaStrategy } from './flow-schemas/strategy.ts';
import {
  priorityLevelConfigurationStatusStrategy,
  priorityLevelConfigurationStrategy,
} from './priority-level-configurations/strategy.ts';

const group = 'flowcontrol.apiserver.k8s.io';

export const definitions: readonly ResourceDefinition[] = [
  defineResource<FlowSchema>({
    group,
    resource: 'flowschemas',
    versions: { v1: { defaults: setFlowSchemaDefaults } as VersionRules },
    strategy: flowSchemaStrategy,
    status: flowSchemaStatusStrategy,
    table: { cells: (schema, { now }) => flowSchemaCells(schema, now), compare: compareFlowSchemas },
  }),
  defineResource<PriorityLevelConfiguration>({
    group,
    resource: 'prioritylevelconfigurations',
    versions: { v1: { defaults: setPriorityLevelDefaults } as VersionRules },
    strategy: priorityLevelConfigurationStrategy,
    status: priorityLevelConfigurationStatusStrategy,
    table: { cells: (level, { now }) => priorityLevelCells(level, now) },
  }),
];
