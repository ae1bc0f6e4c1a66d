import {
  setFlowSchemaDefaults,
  validateFlowSchema,
  validateFlowSchemaStatusUpdate,
} from '../../api/flowcontrol/flow-schemas/validation.ts';
import {
  setPriorityLevelDefaults,
  validatePriorityLevel,
  validatePriorityLevelStatusUpdate,
} from '../../api/flowcontrol/priority-level-configurations/validation.ts';
import { compareFlowSchemas, flowSchemaCells, priorityLevelCells } from '../../api/flowcontrol/table.ts';
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/gen/types/flowcontrol-v1.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import {
  defineResource,
  type ResourceDefinition,
  type ResourceStrategy,
  type Strategy,
  type VersionRules,
} from '../strategy.ts';
import { keepMetadata } from '../status-metadata.ts';

const group = 'flowcontrol.apiserver.k8s.io';

type FlowControlObject = FlowSchema | PriorityLevelConfiguration;

/** Both kinds behave alike: what was valid once is judged as if it were new. */
const strategy = <T extends FlowControlObject>(validate: (object: T) => FieldErrors): ResourceStrategy<T> => ({
  generation: true,
  allowUnconditionalUpdate: false,
  prepareForCreate: (object) => {
    object.status = {};
  },
  validate,
  prepareForUpdate: (object, old) => {
    object.status = old.status;
  },
  validateUpdate: validate,
  resetFields: [['status']],
});

const statusStrategy = <T extends FlowControlObject>(validateUpdate: (object: T) => FieldErrors): Strategy<T> => ({
  prepareForUpdate: (object, old) => {
    object.spec = old.spec;
    keepMetadata(object.metadata, old.metadata);
  },
  validateUpdate,
  resetFields: [['metadata'], ['spec']],
});

export const definitions: readonly ResourceDefinition[] = [
  defineResource<FlowSchema>({
    group,
    resource: 'flowschemas',
    versions: { v1: { defaults: setFlowSchemaDefaults } as VersionRules },
    strategy: strategy(validateFlowSchema),
    status: statusStrategy(validateFlowSchemaStatusUpdate),
    table: { cells: (schema, { now }) => flowSchemaCells(schema, now), compare: compareFlowSchemas },
  }),
  defineResource<PriorityLevelConfiguration>({
    group,
    resource: 'prioritylevelconfigurations',
    versions: { v1: { defaults: setPriorityLevelDefaults } as VersionRules },
    strategy: strategy(validatePriorityLevel),
    status: statusStrategy(validatePriorityLevelStatusUpdate),
    table: { cells: (level, { now }) => priorityLevelCells(level, now) },
  }),
];
