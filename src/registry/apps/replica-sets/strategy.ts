import {
  validateReplicaSet,
  validateReplicaSetStatusUpdate,
  validateReplicaSetUpdate,
} from '../../../api/apps/replica-sets/validation.ts';
import type { ReplicaSet } from '../../../api/gen/types/apps-v1.ts';
import { workloadStatusStrategy, workloadStrategy } from '../../workloads/strategy.ts';

export const replicaSetStrategy = workloadStrategy<ReplicaSet>({
  validate: validateReplicaSet,
  validateUpdate: validateReplicaSetUpdate,
});

export const replicaSetStatusStrategy = workloadStatusStrategy<ReplicaSet>(validateReplicaSetStatusUpdate);
