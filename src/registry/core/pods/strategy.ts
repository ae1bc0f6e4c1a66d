/** Pods as they are created, changed and deleted. */
import { setPodResourceDefaults } from '../../../api/core/pods/pod-resources.ts';
import { podValidationOptions, podValidationOptionsForUpdate } from '../../../api/core/pods/validation-options.ts';
import { qosClassOf } from '../../../api/core/pods/qos.ts';
import { validatePodUpdate } from '../../../api/core/pods/update-validation.ts';
import { annotationsPath, validatePod } from '../../../api/core/pods/validation.ts';
import { appArmorWarning, podWarnings } from '../../../api/core/pods/warnings.ts';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { isDns1123Label } from '../../../machinery/formats/names.ts';
import type { ResourceStrategy } from '../../strategy.ts';
import { dropDisabledFields } from './disabled-fields.ts';
import { mergeAffinityKeys, setSchedulingGated, takeAppArmorAnnotations } from './prepare.ts';

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
    const taken = takeAppArmorAnnotations(pod);
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
