/** The parts of a pod that are written on their own: its status, containers for debugging, and its size. */
import { validateEphemeralContainersUpdate } from '../../../api/core/pods/ephemeral-containers.ts';
import { validatePodResize } from '../../../api/core/pods/resize.ts';
import { podValidationOptionsForUpdate } from '../../../api/core/pods/validation-options.ts';
import { validatePodStatusUpdate } from '../../../api/core/pods/status-validation.ts';
import type { Container, Pod } from '../../../api/gen/types/core-v1.ts';
import { keepMetadata } from '../../status-metadata.ts';
import type { Strategy } from '../../strategy.ts';
import { dropDisabledFields, dropDisabledStatusFields } from './disabled-fields.ts';

/** Written by nodes and the scheduler. Labels and annotations may change with it. */
export const podStatusStrategy: Strategy<Pod> = {
  prepareForUpdate(pod, old, { enabled }) {
    pod.spec = old.spec;
    pod.metadata.deletionTimestamp = undefined;
    // Old nodes send owner references back with values that garbage collection cannot use.
    pod.metadata.ownerReferences = old.metadata.ownerReferences;
    // Old nodes leave the class out when they refuse a pod.
    pod.status.qosClass ??= old.status.qosClass;
    dropDisabledStatusFields(pod.status, old.spec, enabled);
  },
  validateUpdate: (pod, old, context) =>
    validatePodStatusUpdate(pod, old, podValidationOptionsForUpdate(context, true, pod, old)),
  resetFields: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
};

export const ephemeralContainersStrategy: Strategy<Pod> = {
  prepareForUpdate(pod, old, { enabled }) {
    const { ephemeralContainers } = pod.spec;
    keepAllMetadata(pod, old);
    pod.status = old.status;
    pod.spec = { ...old.spec, ephemeralContainers };
    dropDisabledFields({ ephemeralContainers } as Pod['spec'], old.spec, enabled);
  },
  validateUpdate: (pod, old, context) =>
    validateEphemeralContainersUpdate(pod, old, podValidationOptionsForUpdate(context, true, pod, old)),
};

export const resizeStrategy: Strategy<Pod> = {
  prepareForUpdate(pod, old) {
    const { containers, initContainers } = pod.spec;
    // Added or removed containers are left in, to be refused.
    if (
      containers?.length !== old.spec.containers?.length ||
      initContainers?.length !== old.spec.initContainers?.length
    )
      return;
    keepAllMetadata(pod, old);
    pod.status = old.status;
    pod.spec = {
      ...old.spec,
      containers: withNewSize(containers, old.spec.containers),
      initContainers: withNewSize(initContainers, old.spec.initContainers),
    };
  },
  validateUpdate: (pod, old, context) =>
    validatePodResize(pod, old, podValidationOptionsForUpdate(context, true, pod, old)),
};

/** Writes to these subresources do not change managed fields, as upstream. */
function keepAllMetadata(pod: Pod, old: Pod): void {
  keepMetadata(pod.metadata, old.metadata);
  pod.metadata.managedFields = old.metadata.managedFields!;
}

/** The old containers with new resources; a list in another order is left as it is, to be refused. */
function withNewSize(
  containers: Container[] | undefined,
  old: readonly Container[] | undefined,
): Container[] | undefined {
  if (containers === undefined || old === undefined || containers.some(({ name }, i) => name !== old[i]!.name))
    return containers;
  return containers.map(({ resources, resizePolicy }, i) => ({ ...old[i]!, resources, resizePolicy }));
}
