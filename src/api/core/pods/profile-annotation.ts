/** Security profiles (AppArmor, seccomp) by annotation: annotations came before the fields, and must say the same. */
import { forbidden } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';

export const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];
/** Before the name of a profile of the node. */
export const localhost = 'localhost/';

interface ProfileKind {
  /** How messages name it. */
  readonly name: string;
  /** Annotations that mean the default of the runtime. */
  readonly runtimeDefaults: readonly string[];
}

interface Profile {
  readonly type?: string;
  readonly localhostProfile?: string;
}

/** The annotation beside a field. */
export function checkProfileMatch(
  { name, runtimeDefaults }: ProfileKind,
  annotation: string | undefined,
  profile: Profile | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (annotation === undefined || profile === undefined) return;
  const { type, localhostProfile } = profile;
  if (type !== undefined && profileTypes.includes(type) && type !== typeOf(annotation, runtimeDefaults))
    errors.push(forbidden(path.child('type'), `${name} type in annotation and field must match`));
  else if (type === 'Localhost' && annotation.slice(localhost.length) !== localhostProfile)
    errors.push(forbidden(path.child('localhostProfile'), `${name} profile in annotation and field must match`));
}

function typeOf(annotation: string, runtimeDefaults: readonly string[]): string | undefined {
  if (annotation.startsWith(localhost)) return 'Localhost';
  if (runtimeDefaults.includes(annotation)) return 'RuntimeDefault';
  return annotation === 'unconfined' ? 'Unconfined' : undefined;
}
