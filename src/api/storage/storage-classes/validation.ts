/** @see {@link https://kubernetes.io/docs/concepts/storage/storage-classes/ | Storage Classes} */
import type { TopologySelectorTerm } from '../../gen/types/core-v1.ts';
import type { StorageClass } from '../../gen/types/storage-v1.ts';
import { duplicate, notSupported, required } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { checkImmutable, checkRequiredText, repeatedAt } from '../../meta/checks.ts';
import { checkLabelName } from '../../meta/labels.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { checkParameters } from '../parameters.ts';
import { checkUnchanged } from '../unchanged.ts';

const reclaimPolicies = ['Delete', 'Retain'];
const bindingModes = ['Immediate', 'WaitForFirstConsumer'];
const path = (name: string): FieldPath => FieldPath.of(name);

export function setStorageClassDefaults(object: StorageClass): void {
  object.reclaimPolicy ??= 'Delete';
  object.volumeBindingMode ??= 'Immediate';
}

export function validateStorageClass(object: StorageClass): FieldErrors {
  const { metadata, provisioner = '', reclaimPolicy, volumeBindingMode } = object;
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName });
  if (checkRequiredText(provisioner, path('provisioner'), errors))
    checkLabelName(provisioner.toLowerCase(), path('provisioner'), errors);
  checkParameters(object.parameters, path('parameters'), errors, { allowEmpty: true });
  if (reclaimPolicy !== undefined && !reclaimPolicies.includes(reclaimPolicy))
    errors.push(notSupported(path('reclaimPolicy'), reclaimPolicy, reclaimPolicies));
  if (volumeBindingMode === undefined) errors.push(required(path('volumeBindingMode')));
  else if (!bindingModes.includes(volumeBindingMode))
    errors.push(notSupported(path('volumeBindingMode'), volumeBindingMode, bindingModes));
  checkTopologies(object.allowedTopologies, path('allowedTopologies'), errors);
  return errors;
}

export function validateStorageClassUpdate(object: StorageClass, old: StorageClass): FieldErrors {
  const errors = FieldErrors.joined(
    validateStorageClass(object),
    validateBuiltInMetaUpdate(object.metadata, old.metadata),
  );
  for (const member of ['parameters', 'provisioner', 'reclaimPolicy'] as const)
    checkUnchanged(object[member], old[member], member, errors);
  checkImmutable(object.volumeBindingMode, old.volumeBindingMode, path('volumeBindingMode'), errors);
  return errors;
}

/**
 * Errors that say the same; beyond them each term has one at most, so that many terms do not make many times as many
 * errors.
 */
const maxRepeated = 1000;

/**
 * Each term is another one. Upstream says so once for each that it equals, and compares each with as many empty ones as
 * there are terms.
 */
function checkTopologies(terms: readonly TopologySelectorTerm[] | undefined, at: FieldPath, errors: FieldErrors): void {
  const seen = new Map<string, number>();
  let left = maxRepeated;
  terms?.forEach((term, i) => {
    const path = at.index(i).child('matchLabelExpressions');
    checkTopology(term, path, errors);
    const key = meaningOf(term);
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    const same = (term.matchLabelExpressions ?? []).length === 0 ? before + terms.length : before;
    const count = Math.min(same, Math.max(left, 1));
    left -= count;
    for (let n = 0; n < count; n++) errors.push(duplicate(path, ''));
  });
}

/** Order means nothing in a term. */
function meaningOf({ matchLabelExpressions = [] }: TopologySelectorTerm): string {
  const byKey = new Map(matchLabelExpressions.map(({ key = '', values = [] }) => [key, values.toSorted()]));
  return JSON.stringify([...byKey].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function checkTopology({ matchLabelExpressions = [] }: TopologySelectorTerm, at: FieldPath, errors: FieldErrors): void {
  const keys = new Set<string>();
  matchLabelExpressions.forEach(({ key = '', values = [] }, i) => {
    if (values.length === 0) errors.push(required(at.index(i).child('values')));
    for (const j of repeatedAt(values)) errors.push(duplicate(at.index(i).child('values').index(j), values[j]));
    checkLabelName(key, at.index(i).child('key'), errors);
    if (keys.has(key)) errors.push(duplicate(at.index(i).child('key'), key));
    keys.add(key);
  });
}
