/**
 * What of a pod may change once it exists.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/#pod-update-and-replacement | Pod update and
 *   replacement}
 */
import type { Container, Pod, PodSchedulingGate, PodSpec } from '../../gen/types/core-v1.ts';
import { formatDiff } from '../../../machinery/value-diff.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { forbidden, invalid, required } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isInRange, maxInt32 } from '../../../machinery/formats/numbers.ts';
import { createMap } from '../../../machinery/value.ts';
import { validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { quantityOf } from '../resources/quantities.ts';
import { checkPodAnnotationsUpdate } from './annotations.ts';
import { checkGatedChanges, withoutGatedChanges } from './gated-update.ts';
import type { PodValidationOptions } from './validation-option-types.ts';
import { checkOnlyAddedTolerations } from './tolerations.ts';
import { annotationsPath, specPath, validatePodMetaAndSpec } from './validation.ts';

export function validatePodUpdate(pod: Pod, old: Pod, rules: PodValidationOptions): FieldErrors {
  const errors = FieldErrors.joined(
    validateBuiltInMetaUpdate(pod.metadata, old.metadata),
    validatePodMetaAndSpec(pod, rules),
  );
  checkPodAnnotationsUpdate(
    pod.metadata.annotations,
    old.metadata.annotations,
    pod.spec,
    annotationsPath,
    errors,
    rules,
  );
  if (!checkImages(pod.spec.containers, old.spec.containers, specPath.child('containers'), errors)) return errors;
  if (!checkImages(pod.spec.initContainers, old.spec.initContainers, specPath.child('initContainers'), errors))
    return errors;
  if (!checkDeadline(pod.spec, old.spec, specPath.child('activeDeadlineSeconds'), errors)) return errors;
  checkOnlyAddedTolerations(pod.spec.tolerations, old.spec.tolerations, specPath.child('tolerations'), errors);
  checkOnlyRemovedGates(pod.spec.schedulingGates, old.spec.schedulingGates, specPath.child('schedulingGates'), errors);
  if (!isEqual(pod.spec, old.spec)) checkUnchanged(pod.spec, old.spec, errors);
  return errors;
}

/** Returns whether the lists can be compared further. */
function checkImages(
  containers: readonly Container[] = [],
  old: readonly Container[] = [],
  path: FieldPath,
  errors: FieldErrors,
): boolean {
  if (containers.length !== old.length) {
    errors.push(forbidden(path, 'pod updates may not add or remove containers'));
    return false;
  }
  containers.forEach(({ image = '' }, i) => {
    const at = path.index(i).child('image');
    if (image === '') errors.push(required(at));
    if (image !== image.trim()) errors.push(invalid(at, image, 'must not have leading or trailing whitespace'));
  });
  return true;
}

/** A deadline can be set once and then only come closer. */
function checkDeadline(
  { activeDeadlineSeconds: deadline }: PodSpec,
  { activeDeadlineSeconds: old }: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
): boolean {
  if (deadline === undefined) {
    if (old !== undefined)
      errors.push(invalid(path, undefined, 'must not update from a positive integer to nil value'));
    return true;
  }
  const [problem] = isInRange(deadline, 0, maxInt32);
  if (problem !== undefined) errors.push(invalid(path, deadline, problem));
  else if (old !== undefined && old < deadline)
    errors.push(invalid(path, deadline, 'must be less than or equal to previous value'));
  else return true;
  return false;
}

function checkOnlyRemovedGates(
  gates: readonly PodSchedulingGate[] = [],
  old: readonly PodSchedulingGate[] = [],
  path: FieldPath,
  errors: FieldErrors,
): void {
  const before = new Set(old.map(({ name = '' }) => name));
  gates.forEach(({ name = '' }, i) => {
    if (!before.has(name))
      errors.push(
        forbidden(path.index(i).child('name'), `only deletion is allowed, but found new scheduling gate '${name}'`),
      );
  });
}

const mutableFields = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

/** Everything but what may change, whose new values have been judged before. */
function checkUnchanged(spec: PodSpec, old: PodSpec, errors: FieldErrors): void {
  const isGated = (old.schedulingGates?.length ?? 0) > 0;
  if (isGated) checkGatedChanges(spec, old, specPath, errors);
  const fixed = withOldValues(isGated ? withoutGatedChanges(spec, old) : spec, old);
  if (isEqual(fixed, old)) return;
  errors.push(
    forbidden(
      specPath,
      `pod updates may not change fields other than ${mutableFields}\n${formatDiff('core.PodSpec', old, fixed)}`,
    ),
  );
}

function withOldValues(spec: PodSpec, old: PodSpec): PodSpec {
  const { terminationGracePeriodSeconds: period } = old;
  const isNegative = period !== undefined && period < 0;
  return {
    ...spec,
    containers: withOldImages(spec.containers, old.containers),
    initContainers: withOldImages(spec.initContainers, old.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    schedulingGates: old.schedulingGates,
    tolerations: old.tolerations,
    terminationGracePeriodSeconds:
      isNegative && Number(spec.terminationGracePeriodSeconds) === 1 ? period : spec.terminationGracePeriodSeconds,
  };
}

const withOldImages = (
  containers: readonly Container[] | undefined,
  old: readonly Container[] = [],
): Container[] | undefined =>
  containers?.map((container, i) => ({
    ...container,
    image: old[i]!.image,
    resources: withOldTexts(container, old[i]!),
  }));

type Requirements = Container['resources'];
type Amounts = Requirements['limits'];

/** The same amount may be written differently. */
const withOldTexts = ({ resources }: Container, { resources: old }: Container): Requirements => ({
  ...resources,
  limits: oldTexts(resources.limits, old.limits),
  requests: oldTexts(resources.requests, old.requests),
});

function oldTexts(amounts: Amounts, old: Amounts): Amounts {
  if (amounts === undefined) return undefined;
  const texts = createMap<string>();
  for (const name in amounts) {
    const before = old?.[name];
    texts[name] =
      before !== undefined && quantityOf(amounts[name]!).compare(quantityOf(before)) === 0 ? before : amounts[name]!;
  }
  return texts;
}
