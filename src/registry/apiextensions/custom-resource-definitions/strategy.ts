import { compileAhead } from '../../../api/apiextensions/custom-resource-definitions/rule-context.ts';
import {
  validateDefinition,
  validateDefinitionMeta,
  validateDefinitionMetaUpdate,
  validateDefinitionStatusUpdate,
} from '../../../api/apiextensions/custom-resource-definitions/validation.ts';
import type { CustomResourceDefinition } from '../../../api/gen/types/apiextensions-v1.ts';
import { compilePatternsAhead } from '../../../api/apiextensions/custom-resource-definitions/structural.ts';
import { setCondition } from '../../../api/apiextensions/custom-resource-definitions/conditions.ts';
import { dropDisabledFields } from './disabled-fields.ts';
import { timestamp } from '../../generic/timestamp.ts';
import { keepMetadata } from '../../status-metadata.ts';
import type { ResourceStrategy, Strategy, StrategyContext } from '../../strategy.ts';

/** The version that is written now is among those that may be in the store. */
function addStoredVersion({ spec, status }: CustomResourceDefinition): void {
  const name = spec.versions?.find(({ storage }) => storage === true)?.name;
  if (name !== undefined && status.storedVersions?.includes(name) !== true)
    status.storedVersions = [...(status.storedVersions ?? []), name];
}

/** Keeps a definition until all its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

const deletionPending = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
} as const;

/** The objects are deleted first; the controller that deletes them then removes the finalizer. */
function beginDeletion(definition: CustomResourceDefinition, { now }: StrategyContext): 'mark' | undefined {
  const { metadata } = definition;
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const { finalizers = [] } = metadata;
  definition.metadata = {
    ...metadata,
    deletionTimestamp: timestamp(now),
    finalizers: finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer],
  };
  setCondition(definition, deletionPending, timestamp(now));
  return 'mark';
}

function* compileInTurns(
  { spec }: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): Generator<void, void> {
  yield* compileAhead(spec, old?.spec);
  for (const { schema } of spec.versions ?? [])
    if (schema?.openAPIV3Schema !== undefined) yield* compilePatternsAhead(schema.openAPIV3Schema);
}

export const customResourceDefinitionStrategy: ResourceStrategy<CustomResourceDefinition> = {
  generation: true,
  allowUnconditionalUpdate: false,
  prepareForCreate: (definition, context) => {
    dropDisabledFields(definition, undefined, context);
    definition.status = { acceptedNames: {} };
    addStoredVersion(definition);
  },
  prepareInTurns: compileInTurns,
  validate: validateDefinitionMeta,
  validateInTurns: (definition, old, errors, { enabled }) =>
    validateDefinition(definition, old, errors, enabled('CRDValidationRatcheting')),
  prepareForUpdate: (definition, old, context) => {
    dropDisabledFields(definition, old, context);
    definition.status = { ...old.status };
    addStoredVersion(definition);
  },
  validateUpdate: validateDefinitionMetaUpdate,
  beginDeletion,
  resetFields: [['status']],
};

export const customResourceDefinitionStatusStrategy: Strategy<CustomResourceDefinition> = {
  prepareForUpdate: (definition, old) => {
    definition.spec = old.spec;
    keepMetadata(definition.metadata, old.metadata);
  },
  validateUpdate: validateDefinitionStatusUpdate,
  resetFields: [['metadata'], ['spec']],
};
