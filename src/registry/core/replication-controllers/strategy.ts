import {
  validateReplicationController,
  validateReplicationControllerStatusUpdate,
  validateReplicationControllerUpdate,
} from '../../../api/core/replication-controllers/validation.ts';
import type { ReplicationController } from '../../../api/gen/types/core-v1.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import type { ResourceStrategy } from '../../strategy.ts';
import { workloadStatusStrategy, workloadStrategy } from '../../workloads/strategy.ts';

export const replicationControllerStrategy: ResourceStrategy<ReplicationController> = {
  ...workloadStrategy<ReplicationController>({
    validate: validateReplicationController,
    /** Both sets of rules apply, and clients see an error of the spec twice. */
    validateUpdate: (controller, old, rules) =>
      FieldErrors.joined(
        validateReplicationController(controller, rules),
        validateReplicationControllerUpdate(controller, old, rules),
      ),
  }),
  defaultGarbageCollection: 'orphan',
};

export const replicationControllerStatusStrategy = workloadStatusStrategy<ReplicationController>(
  validateReplicationControllerStatusUpdate,
);
