/** Rules of pods as they are created. */
import type { Pod, PodSpec } from '../../gen/types/core-v1.ts';
import { forbidden } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { metadataPath, validateBuiltInMeta } from '../../meta/object-meta.ts';
import { checkAnnotatedProfiles, checkPodAnnotations } from './annotations.ts';
import { checkImageSpaces } from './containers.ts';
import type { PodValidationOptions } from './validation-option-types.ts';
import { checkPodSpec } from './spec.ts';

export const specPath = FieldPath.of('spec');
export const annotationsPath = metadataPath.child('annotations');

/** Errors of a new pod. */
export function validatePod(pod: Pod, rules: PodValidationOptions): FieldErrors {
  const errors = validatePodMetaAndSpec(pod, rules);
  const { spec } = pod;
  if ((spec.ephemeralContainers?.length ?? 0) > 0)
    errors.push(forbidden(specPath.child('ephemeralContainers'), 'cannot be set on create'));
  if ((spec.nodeName ?? '') !== '' && (spec.schedulingGates?.length ?? 0) > 0)
    errors.push(forbidden(specPath.child('nodeName'), 'cannot be set until all schedulingGates have been cleared'));
  checkAnnotatedProfiles(pod.metadata.annotations, spec, specPath, errors);
  return errors;
}

/** What holds for a pod whatever it was before. */
export function validatePodMetaAndSpec({ metadata, spec }: Pod, rules: PodValidationOptions): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: true, validateName: subdomainName });
  checkPodAnnotations(metadata.annotations, spec, annotationsPath, errors, rules);
  checkPodSpec(spec, metadata.name, specPath, errors, rules);
  checkTokens(spec, errors);
  for (const list of ['containers', 'initContainers'] as const)
    spec[list]?.forEach((container, i) => checkImageSpaces(container, specPath.child(list).index(i), errors));
  return errors;
}

/** A token is always one of the pod's own service account. */
function checkTokens({ serviceAccountName = '', volumes }: PodSpec, errors: FieldErrors): void {
  if (serviceAccountName !== '') return;
  volumes?.forEach(({ projected }, v) =>
    projected?.sources?.forEach(({ serviceAccountToken }, s) => {
      if (serviceAccountToken === undefined) return;
      const at = specPath.child('volumes').index(v).child('projected', 'sources').index(s).child('serviceAccountToken');
      errors.push(forbidden(at, 'must not be specified when serviceAccountName is not set'));
    }),
  );
}
