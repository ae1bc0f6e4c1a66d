/** @see {@link https://kubernetes.io/docs/tutorials/security/apparmor/ | AppArmor} */
import type { AppArmorProfile } from '../../gen/types/core-v1.ts';
import { invalid, notSupported, required, tooLong } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { byteLength } from '../../../machinery/formats/names.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { checkProfileMatch, localhost, profileTypes } from './profile-annotation.ts';

/** Before the name of a container: the annotation that came before the field. */
export const appArmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/';

/** The longest path, without its end. */
const maxProfileLength = 4095;

export function checkAppArmorProfile(profile: AppArmorProfile | undefined, path: FieldPath, errors: FieldErrors): void {
  if (profile === undefined) return;
  const { type, localhostProfile } = profile;
  if (type === undefined) errors.push(required(path.child('type'), 'type is required when appArmorProfile is set'));
  else if (!profileTypes.includes(type)) errors.push(notSupported(path.child('type'), type, profileTypes));
  else if (type === 'Localhost') checkLocalhost(localhostProfile, path.child('localhostProfile'), errors);
  else if (localhostProfile !== undefined)
    errors.push(
      invalid(path.child('localhostProfile'), localhostProfile, 'can only be set when AppArmor type is Localhost'),
    );
}

function checkLocalhost(profile: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (profile === undefined) return void errors.push(required(path, 'must be set when AppArmor type is Localhost'));
  if (profile !== profile.trim()) errors.push(invalid(path, profile, 'must not be padded with whitespace'));
  else if (profile === '') errors.push(required(path, 'must be set when AppArmor type is Localhost'));
  if (byteLength(profile) > maxProfileLength) errors.push(tooLong(path, maxProfileLength));
}

/** The value of an annotation: what is wrong with it. */
export function appArmorNameProblem(name: string): string | undefined {
  const isKnown = name === '' || name === 'runtime/default' || name === 'unconfined' || name.startsWith(localhost);
  return isKnown ? undefined : `invalid AppArmor profile name: ${goQuote(name)}`;
}

/** The field that means what the annotation says, when it means anything. */
export function appArmorProfileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const profile = annotation.startsWith(localhost) ? annotation.slice(localhost.length) : '';
  return profile === '' ? undefined : { type: 'Localhost', localhostProfile: profile };
}

/** The annotation that means what the field says, which nodes that do not know the field obey. */
export function appArmorAnnotationOf({ type, localhostProfile }: AppArmorProfile): string | undefined {
  if (type === 'Unconfined') return 'unconfined';
  if (type === 'RuntimeDefault') return 'runtime/default';
  return type === 'Localhost' && localhostProfile !== undefined ? localhost + localhostProfile : undefined;
}

const kind = { name: 'apparmor', runtimeDefaults: ['runtime/default'] };

/** An annotation beside a field must say the same. */
export const checkAppArmorMatch = (
  annotation: string | undefined,
  profile: AppArmorProfile | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void => checkProfileMatch(kind, annotation, profile, path, errors);
