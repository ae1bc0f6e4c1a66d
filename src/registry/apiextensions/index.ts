import { setCustomResourceDefinitionDefaults } from '../../api/apiextensions/defaults.ts';
import { validateDefinition, validateDefinitionStatusUpdate, validateDefinitionUpdate } from '../../api/apiextensions/validation.ts';
import type { CustomResourceDefinition } from '../../api/gen/types/apiextensions-v1.ts';
import { defineResource, type ResourceDefinition, type VersionRules } from '../strategy.ts';
import { keepMetadata } from '../status-metadata.ts';

/** The version that is written now is among those that may be in the store. */
function addStoredVersion({ spec, status }: CustomResourceDefinition): void {
  const name = spec.versions?.find(({ storage }) => storage === true)?.name;
  if (name !== undefined && status.storedVersions?.includes(name) !== true) status.storedVersions = [...(status.storedVersions ?? []), name];
}

export const definitions: readonly ResourceDefinition[] = [
  defineResource<CustomResourceDefinition>({
    group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions',
    versions: { v1: { defaults: setCustomResourceDefinitionDefaults } as VersionRules },
    strategy: {
      generation: true,
      allowUnconditionalUpdate: false,
      prepareForCreate: (definition) => {
        definition.status = { acceptedNames: {} };
        addStoredVersion(definition);
      },
      validate: validateDefinition,
      prepareForUpdate: (definition, old) => {
        definition.status = { ...old.status };
        addStoredVersion(definition);
      },
      validateUpdate: validateDefinitionUpdate,
      resetFields: [['status']],
    },
    status: {
      prepareForUpdate: (definition, old) => {
        definition.spec = old.spec;
        keepMetadata(definition.metadata, old.metadata);
      },
      validateUpdate: validateDefinitionStatusUpdate,
      resetFields: [['metadata'], ['spec']],
    },
    table: { cells: ({ metadata }) => [metadata.name ?? '', metadata.creationTimestamp ?? null] },
  }),
];
