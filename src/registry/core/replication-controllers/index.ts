import { setReplicationControllerDefaults } from '../../../api/core/replication-controllers/defaults.ts';
import { replicationControllerCells } from '../../../api/core/replication-controllers/table.ts';
import type { ReplicationController } from '../../../api/gen/types/core-v1.ts';
import { defineResource, type ResourceDefinition } from '../../strategy.ts';
import { replicationControllerStatusStrategy, replicationControllerStrategy } from './strategy.ts';

export const definitions: ResourceDefinition[] = [
  defineResource<ReplicationController>({
    group: '',
    resource: 'replicationcontrollers',
    versions: { v1: { defaults: setReplicationControllerDefaults } },
    strategy: replicationControllerStrategy,
    status: replicationControllerStatusStrategy,
    table: { cells: (controller, { now }) => replicationControllerCells(controller, now) },
  }),
];
