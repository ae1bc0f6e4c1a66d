/** Annotations of pods that have rules of their own: mirrors of static pods, and what came before there were fields. */
import type { PodSpec } from '../../gen/types/core-v1.ts';
import { forbidden, invalid } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { parseJson } from '../../../machinery/json/reader.ts';
import { isObject } from '../../../machinery/value.ts';
import { appArmorAnnotation, appArmorNameProblem, checkAppArmorMatch } from './app-armor.ts';
import { someContainer, visitContainersWithPath } from './container-list.ts';
import type { PodValidationOptions } from './validation-option-types.ts';
import { checkSeccompMatch, checkSeccompName, seccompContainerAnnotation, seccompPodAnnotation } from './seccomp.ts';
import { checkTolerations } from './tolerations.ts';

type Annotations = Readonly<Record<string, string>> | undefined;

/** On the API's copy of a pod that a node runs on its own. */
export const mirrorAnnotation = 'kubernetes.io/config.mirror';
/** Which of a ReplicaSet's pods go first. @see {@link https://kep.k8s.io/2255 | KEP-2255} */
export const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost';
const tolerationsAnnotation = 'scheduler.alpha.kubernetes.io/tolerations';

/** `path` is that of the annotations. */
export function checkPodAnnotations(
  annotations: Annotations,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  if (annotations === undefined) return;
  const mirror = annotations[mirrorAnnotation];
  if (mirror !== undefined && (spec.nodeName ?? '') === '')
    errors.push(invalid(path.key(mirrorAnnotation), mirror, 'must set spec.nodeName if mirror pod annotation is set'));
  const tolerations = annotations[tolerationsAnnotation] ?? '';
  if (tolerations !== '') checkTolerationsAnnotation(tolerations, path, errors);
  const cost = annotations[deletionCostAnnotation];
  if (cost !== undefined && !rules.invalidDeletionCost && !isDeletionCost(cost))
    errors.push(invalid(path.key(deletionCostAnnotation), cost, 'must be a 32bit integer'));
  checkProfileAnnotations(annotations, spec, path, errors);
}

/** An integer without a plus sign and leading zeros. */
export function isDeletionCost(text: string): boolean {
  if (!/^(0|-\d+|[1-9]\d*)$/.test(text)) return false;
  const cost = Number(text);
  return cost >= -(2 ** 31) && cost < 2 ** 31;
}

function checkTolerationsAnnotation(text: string, path: FieldPath, errors: FieldErrors): void {
  try {
    const tolerations = parseJson(text);
    if (Array.isArray(tolerations))
      checkTolerations(tolerations.filter(isObject), path.child(tolerationsAnnotation), errors);
  } catch (error) {
    errors.push(invalid(path, tolerationsAnnotation, (error as Error).message));
  }
}

function checkProfileAnnotations(
  annotations: NonNullable<Annotations>,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const ofPod = annotations[seccompPodAnnotation];
  if (ofPod !== undefined) checkSeccompName(ofPod, path.child(seccompPodAnnotation), errors);
  for (const key in annotations)
    if (key.startsWith(seccompContainerAnnotation)) checkSeccompName(annotations[key]!, path.child(key), errors);
  for (const key in annotations)
    if (key.startsWith(appArmorAnnotation))
      checkAppArmorAnnotation(key, annotations[key]!, spec, path.key(key), errors);
}

function checkAppArmorAnnotation(
  key: string,
  profile: string,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const container = key.slice(appArmorAnnotation.length);
  if (!someContainer(spec, ({ name }) => name === container))
    errors.push(invalid(path, container, 'container not found'));
  const problem = appArmorNameProblem(profile);
  if (problem !== undefined) errors.push(invalid(path, profile, problem));
}

/** What may not come, go or change on an existing pod, and the rules of the annotations themselves. */
export function checkPodAnnotationsUpdate(
  annotations: Annotations,
  old: Annotations,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  for (const key in old) if (annotations?.[key] !== old[key]) refuse(key, 'may not remove or update', path, errors);
  for (const key in annotations) if (old?.[key] === undefined) refuse(key, 'may not add', path, errors);
  checkPodAnnotations(annotations, spec, path, errors, rules);
}

function refuse(key: string, what: string, path: FieldPath, errors: FieldErrors): void {
  if (key.startsWith(appArmorAnnotation)) errors.push(forbidden(path.key(key), `${what} AppArmor annotations`));
  if (key === mirrorAnnotation) errors.push(forbidden(path.key(key), `${what} mirror pod annotation`));
}

/** Annotations and fields that say the same thing must agree. `path` is that of the spec. */
export function checkAnnotatedProfiles(
  annotations: Annotations,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (annotations === undefined) return;
  checkSeccompMatch(
    annotations[seccompPodAnnotation],
    spec.securityContext?.seccompProfile,
    path.child('securityContext', 'seccompProfile'),
    errors,
  );
  visitContainersWithPath(spec, path, ({ name = '', securityContext }, at) =>
    checkSeccompMatch(
      annotations[seccompContainerAnnotation + name],
      securityContext?.seccompProfile,
      at.child('securityContext', 'seccompProfile'),
      errors,
    ),
  );
  if (spec.os?.name === 'windows') return;
  const ofPod = spec.securityContext?.appArmorProfile;
  visitContainersWithPath(spec, path, ({ name = '', securityContext }, at) =>
    checkAppArmorMatch(
      annotations[appArmorAnnotation + name],
      securityContext?.appArmorProfile ?? ofPod,
      at.child('securityContext', 'appArmorProfile'),
      errors,
    ),
  );
}
