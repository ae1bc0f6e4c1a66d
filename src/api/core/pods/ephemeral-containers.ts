/**
 * Adding containers to a running pod, to look around in it.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/ephemeral-containers/ | Ephemeral containers}
 */
import type { Pod } from '../../gen/types/core-v1.ts';
import { formatDiff } from '../../../machinery/value-diff.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { forbidden } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { checkPodAnnotationsUpdate, mirrorAnnotation } from './annotations.ts';
import type { PodValidationOptions } from './validation-option-types.ts';
import { annotationsPath, specPath, validatePodMetaAndSpec } from './validation.ts';

/** Where errors are that are about no field. */
const nowhere = FieldPath.of('');

/**
 * Errors of a pod that differs from `old` only in its ephemeral containers. They can be added, not changed or removed.
 */
export function validateEphemeralContainersUpdate(pod: Pod, old: Pod, rules: PodValidationOptions): FieldErrors {
  if (old.metadata.annotations?.[mirrorAnnotation] !== undefined)
    return FieldErrors.joined([forbidden(nowhere, 'static pods do not support ephemeral containers')]);
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
  const path = specPath.child('ephemeralContainers');
  // Of containers with one name the last counts.
  const byName = new Map(pod.spec.ephemeralContainers?.map((container) => [container.name, container]));
  for (const before of old.spec.ephemeralContainers ?? []) {
    const now = byName.get(before.name);
    const quoted = goQuote(before.name ?? '');
    if (now === undefined) errors.push(forbidden(path, `existing ephemeral containers ${quoted} may not be removed\n`));
    else if (!isEqual(before, now))
      errors.push(
        forbidden(
          path,
          `existing ephemeral containers ${quoted} may not be ` +
            `changed\n${formatDiff('core.EphemeralContainer', before, now)}`,
        ),
      );
  }
  return errors;
}
