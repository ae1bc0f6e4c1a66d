/**
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/ | Dynamic resource
 *   allocation}
 */
import type { PodResourceClaim } from '../../gen/types/core-v1.ts';
import { duplicate, invalid } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Label, isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { checkFormat, checkRequiredText } from '../../meta/checks.ts';
import { shownStruct } from '../../shown-struct.ts';

const noNames: ReadonlySet<string> = new Set();

export const claimNames = (claims: readonly PodResourceClaim[] | undefined): ReadonlySet<string> =>
  claims === undefined ? noNames : new Set(claims.flatMap(({ name = '' }) => (name === '' ? [] : [name])));

export function checkResourceClaims(
  claims: readonly PodResourceClaim[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const names = new Set<string>();
  claims?.forEach((claim, i) => {
    const at = path.index(i);
    const { name, resourceClaimName: direct, resourceClaimTemplateName: template } = claim;
    if (checkRequiredText(name, at.child('name'), errors)) checkName(name!, at.child('name'), errors, names);
    const refuse = (detail: string): void =>
      void errors.push(invalid(at, shownStruct('core/v1.PodResourceClaim', claim), detail));
    if (direct !== undefined && template !== undefined)
      refuse('at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified');
    if (direct === undefined && template === undefined)
      refuse('must specify one of: `resourceClaimName`, `resourceClaimTemplateName`');
    if (direct !== undefined) checkFormat(isDns1123Subdomain, direct, at.child('resourceClaimName'), errors);
    if (template !== undefined)
      checkFormat(isDns1123Subdomain, template, at.child('resourceClaimTemplateName'), errors);
  });
}

function checkName(name: string, path: FieldPath, errors: FieldErrors, names: Set<string>): void {
  if (names.has(name)) return void errors.push(duplicate(path, name));
  checkFormat(isDns1123Label, name, path, errors);
  names.add(name);
}
