/** @see {@link https://kubernetes.io/docs/tutorials/security/seccomp/ | Seccomp profiles} */
import type { SeccompProfile } from '../../gen/types/core-v1.ts';
import { invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { checkDescendingPath } from '../volumes/paths.ts';
import { checkProfileMatch, localhost, profileTypes } from './profile-annotation.ts';
import { shownStruct } from '../../shown-struct.ts';

/** Annotations that came before the fields; they may still be there when they agree with them. */
export const seccompPodAnnotation = 'seccomp.security.alpha.kubernetes.io/pod';
export const seccompContainerAnnotation = 'container.seccomp.security.alpha.kubernetes.io/';

export function checkSeccompProfile(profile: SeccompProfile | undefined, path: FieldPath, errors: FieldErrors): void {
  if (profile === undefined) return;
  const { type, localhostProfile } = profile;
  if (type === undefined) errors.push(required(path.child('type'), 'type is required when seccompProfile is set'));
  else if (!profileTypes.includes(type)) errors.push(notSupported(path.child('type'), type, profileTypes));
  const at = path.child('localhostProfile');
  if (type !== 'Localhost') {
    if (localhostProfile !== undefined)
      errors.push(
        invalid(at, shownStruct('core/v1.SeccompProfile', profile), 'can only be set when seccomp type is Localhost'),
      );
  } else if (localhostProfile === undefined) errors.push(required(at, 'must be set when seccomp type is Localhost'));
  else checkDescendingPath(localhostProfile, at, errors);
}

/** The value of an annotation. */
export function checkSeccompName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === 'runtime/default' || name === 'docker/default' || name === 'unconfined') return;
  if (name.startsWith(localhost)) checkDescendingPath(name.slice(localhost.length), path, errors);
  else errors.push(invalid(path, name, 'must be a valid seccomp profile'));
}

const kind = { name: 'seccomp', runtimeDefaults: ['runtime/default', 'docker/default'] };

/** An annotation beside a field must say the same. */
export const checkSeccompMatch = (
  annotation: string | undefined,
  profile: SeccompProfile | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void => checkProfileMatch(kind, annotation, profile, path, errors);
