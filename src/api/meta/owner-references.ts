import { invalid } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { goList, type GoSyntax } from '../../machinery/go-quote.ts';
import { goFields, goPointer, goText } from '../../machinery/go-struct.ts';
import type { OwnerReference } from '../../machinery/object-meta.ts';

/**
 * @see {@link https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/ | Owners and
 *   Dependents}
 */
export function checkOwnerReferences(
  owners: readonly OwnerReference[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (owners === undefined) return;
  let controller: string | undefined;
  let shown: GoSyntax | undefined;
  for (const owner of owners) {
    checkOwnerReference(owner, path, errors);
    if (owner.controller !== true) continue;
    const current = `${owner.kind ?? ''}/${owner.name ?? ''}`;
    if (controller === undefined) controller = current;
    else
      errors.push(
        invalid(
          path,
          (shown ??= shownOwners(owners)),
          'Only one reference can have Controller set to true. Found "true" in references ' +
            `for ${controller} and ${current}`,
        ),
      );
  }
}

export const shownOwners = (owners: readonly OwnerReference[]): GoSyntax =>
  goList('[]v1.OwnerReference', owners, (owner) => shownOwner(owner).text);

const shownOwner = ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): GoSyntax =>
  goFields('v1.OwnerReference', {
    APIVersion: goText(apiVersion),
    Kind: goText(kind),
    Name: goText(name),
    UID: goText(uid),
    Controller: goPointer('bool', controller),
    BlockOwnerDeletion: goPointer('bool', blockOwnerDeletion),
  });

function checkOwnerReference(owner: OwnerReference, path: FieldPath, errors: FieldErrors): void {
  const { group, version } = splitApiVersion(owner.apiVersion ?? '');
  const kind = owner.kind ?? '';
  if (version === '')
    errors.push(invalid(path.child('apiVersion'), owner.apiVersion ?? '', 'version must not be empty'));
  if (kind === '') errors.push(invalid(path.child('kind'), '', 'kind must not be empty'));
  if ((owner.name ?? '') === '') errors.push(invalid(path.child('name'), '', 'name must not be empty'));
  if ((owner.uid ?? '') === '') errors.push(invalid(path.child('uid'), '', 'uid must not be empty'));
  // An event lives for an hour: nothing should go when it goes.
  if (group === '' && version === 'v1' && kind === 'Event')
    errors.push(invalid(path, shownOwner(owner), '/v1, Kind=Event is disallowed from being an owner'));
}

/** `apps/v1` in two; with more than one slash there is no version. */
function splitApiVersion(apiVersion: string): { group: string; version: string } {
  const parts = apiVersion.split('/');
  if (parts.length === 1) return { group: '', version: apiVersion };
  return parts.length === 2 ? { group: parts[0]!, version: parts[1]! } : { group: '', version: '' };
}
