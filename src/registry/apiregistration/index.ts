import { apiServiceCells } from '../../api/apiregistration/table.ts';
import {
  setApiServiceDefaults,
  validateApiService,
  validateApiServiceStatusUpdate,
  validateApiServiceUpdate,
} from '../../api/apiregistration/validation.ts';
import type { APIService } from '../../api/gen/types/apiregistration-v1.ts';
import { timestamp } from '../generic/timestamp.ts';
import { defineResource, type ResourceDefinition, type VersionRules } from '../strategy.ts';
import { keepMetadata } from '../status-metadata.ts';

export const definitions: readonly ResourceDefinition[] = [
  defineResource<APIService>({
    group: 'apiregistration.k8s.io',
    resource: 'apiservices',
    versions: { v1: { defaults: setApiServiceDefaults } as VersionRules },
    strategy: {
      allowUnconditionalUpdate: false,
      prepareForCreate: (service, { now }) => {
        // What the server answers itself is there at once; of the others a controller finds out.
        service.status = service.spec.service === undefined ? { conditions: [localCondition(now)] } : {};
      },
      validate: validateApiService,
      prepareForUpdate: (service, old) => {
        service.status = old.status;
      },
      validateUpdate: validateApiServiceUpdate,
      resetFields: [['status']],
    },
    status: {
      prepareForUpdate: (service, old) => {
        service.spec = old.spec;
        keepMetadata(service.metadata, old.metadata);
      },
      validateUpdate: validateApiServiceStatusUpdate,
      resetFields: [['spec'], ['metadata']],
    },
    table: { cells: (service, { now }) => apiServiceCells(service, now) },
  }),
];

const localCondition = (now: Date): NonNullable<APIService['status']['conditions']>[number] => ({
  type: 'Available',
  status: 'True',
  lastTransitionTime: timestamp(now),
  reason: 'Local',
  message: 'Local APIServices are always available',
});
