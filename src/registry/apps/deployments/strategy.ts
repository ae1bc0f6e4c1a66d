import {
  validateDeployment,
  validateDeploymentStatusUpdate,
  validateDeploymentUpdate,
} from '../../../api/apps/deployments/validation.ts';
import type { Deployment } from '../../../api/gen/types/apps-v1.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { workloadStrategy } from '../../workloads/strategy.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';

const workload = workloadStrategy<Deployment>({
  validate: validateDeployment,
  validateUpdate: validateDeploymentUpdate,
});

export const deploymentStrategy: ResourceStrategy<Deployment> = {
  ...workload,
  prepareForUpdate(deployment, old, context) {
    workload.prepareForUpdate(deployment, old, context);
    // Annotations are passed on to ReplicaSets, so they count as a change of what is wanted.
    if (!isEqual(deployment.metadata.annotations, old.metadata.annotations))
      deployment.metadata.generation = Number(old.metadata.generation ?? 0) + 1;
  },
};

export const deploymentStatusStrategy: Strategy<Deployment> = {
  prepareForUpdate(deployment, old) {
    deployment.spec = old.spec;
    deployment.metadata.labels = old.metadata.labels as never;
  },
  validateUpdate: validateDeploymentStatusUpdate,
  resetFields: [['spec'], ['metadata', 'labels']],
};
