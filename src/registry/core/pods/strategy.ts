/**
 * Pods as they are created, changed and deleted, and the parts that are written on their own: the status, containers
 * for debugging, and the size.
 */
import { setPodResourceDefaults } from '../../../api/core/pods/pod-resources.ts';
import { podValidationOptions, podValidationOptionsForUpdate } from '../../../api/core/pods/validation-options.ts';
import { qosClassOf } from '../../../api/core/pods/qos.ts';
import { validatePodUpdate } from '../../../api/core/pods/update-validation.ts';
import { annotationsPath, validatePod } from '../../../api/core/pods/validation.ts';
import { appArmorWarning, podWarnings } from '../../../api/core/pods/warnings.ts';
import { validateEphemeralContainersUpdate } from '../../../api/core/pods/ephemeral-containers.ts';
import { validatePodResize } from '../../../api/core/pods/resize.ts';
import { validatePodStatusUpdate } from '../../../api/core/pods/status-validation.ts';
import type { Pod, Container } from '../../../api/gen/types/core-v1.ts';
import { isDns1123Label } from '../../../machinery/formats/names.ts';
import { keepMetadata } from '../../status-metadata.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';
import { dropDisabledFields, dropDisabledStatusFields } from './disabled-fields.ts';
import { mergeAffinityKeys, setSchedulingGated, syncAppArmor } from './prepare.ts';

/** Annotations are taken over before the pod is judged, and warned about after. */
const takenAnnotations = new WeakMap<Pod, ReadonlySet<string>>();

export const podStrategy: ResourceStrategy<Pod> = {
  prepareForCreate(pod, { now, enabled }) {
    if (enabled('PodLevelResources')) setPodResourceDefaults(pod.spec);
    pod.status = {
      phase: 'Pending',
      qosClass: pod.status.qosClass ?? qosClassOf(pod.spec, enabled('PodLevelResources')),
    };
    dropDisabledFields(pod.spec, undefined, enabled);
    setSchedulingGated(pod, now);
    mergeAffinityKeys(pod);
    const taken = syncAppArmor(pod);
    if (taken.size > 0) takenAnnotations.set(pod, taken);
  },
  validate: (pod, context) => validatePod(pod, podValidationOptions(context, true)),
  *warningsOnCreate(pod) {
    for (const key of takenAnnotations.get(pod) ?? []) yield appArmorWarning(annotationsPath.key(key));
    const messages = isDns1123Label(pod.metadata.name ?? '');
    if (messages.length > 0)
      yield `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label ` +
        `is recommended: [${messages.join(' ')}]`;
    yield* podWarnings(pod);
  },

  prepareForUpdate(pod, old, { enabled }) {
    if (enabled('PodLevelResources')) setPodResourceDefaults(pod.spec);
    pod.status = old.status;
    dropDisabledFields(pod.spec, old.spec, enabled);
  },
  validateUpdate: (pod, old, context) =>
    validatePodUpdate(pod, old, podValidationOptionsForUpdate(context, true, pod, old)),

  /** A pod that no node has or that has ended goes at once. */
  gracePeriodSeconds({ spec, status }, requested) {
    if ((spec.nodeName ?? '') === '' || status.phase === 'Failed' || status.phase === 'Succeeded') return 0;
    const period = Number(requested ?? spec.terminationGracePeriodSeconds ?? 0);
    return period < 0 ? 1 : period;
  },
  resetFields: [['status']],
};

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
