import {
  validateDeployment,
  validateDeploymentStatusUpdate,
  validateDeploymentUpdate,
} from '../../../api/apps/deployments/validation.ts';
import type { Deployment } from '../../../api/gen/types/apps-v1.ts';
import { isEqual } from '../../../machinery/equal.ts';
import {
  dropTemplateFields,
  isChanged,
  templateRules,
  templateWarnings,
  workloadWarnings,
} from '../../core/pods/template.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';

export const deploymentStrategy: ResourceStrategy<Deployment> = {
  generation: true,
  prepareForCreate(deployment, context) {
    deployment.status = {};
    dropTemplateFields(deployment.spec.template, undefined, context);
  },
  validate: (deployment, context) => validateDeployment(deployment, templateRules(context)),
  warningsOnCreate: workloadWarnings,

  prepareForUpdate(deployment, old, context) {
    deployment.status = old.status;
    dropTemplateFields(deployment.spec.template, old.spec.template, context);
    // Annotations are passed on to ReplicaSets, so they count as a change of what is wanted.
    if (!isEqual(deployment.metadata.annotations, old.metadata.annotations))
      deployment.metadata.generation = Number(old.metadata.generation ?? 0) + 1;
  },
  validateUpdate: (deployment, old, context) =>
    validateDeploymentUpdate(deployment, old, templateRules(context, deployment.spec.template, old.spec.template)),
  warningsOnUpdate: (deployment, old) => (isChanged(deployment, old) ? templateWarnings(deployment.spec.template) : []),
  resetFields: [['status']],
};

export const deploymentStatusStrategy: Strategy<Deployment> = {
  prepareForUpdate(deployment, old) {
    deployment.spec = old.spec;
    deployment.metadata.labels = old.metadata.labels as never;
  },
  validateUpdate: validateDeploymentStatusUpdate,
  resetFields: [['spec'], ['metadata', 'labels']],
};
