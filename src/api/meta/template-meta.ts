import { forbidden } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import type { ObjectMeta } from '../../machinery/object-meta.ts';
import { checkAnnotations, checkLabels } from './labels.ts';

/** Members of metadata by the name that errors give them, in their order. */
const members: readonly (readonly [string, keyof ObjectMeta])[] = [
  ['name', 'name'],
  ['generateName', 'generateName'],
  ['namespace', 'namespace'],
  ['selfLink', 'selfLink'],
  ['uID', 'uid'],
  ['resourceVersion', 'resourceVersion'],
  ['generation', 'generation'],
  ['creationTimestamp', 'creationTimestamp'],
  ['deletionTimestamp', 'deletionTimestamp'],
  ['deletionGracePeriodSeconds', 'deletionGracePeriodSeconds'],
  ['ownerReferences', 'ownerReferences'],
  ['finalizers', 'finalizers'],
  ['managedFields', 'managedFields'],
];

/** Metadata of a template from which only labels and annotations are taken: nothing else may be set. */
export function checkTemplateMeta(meta: ObjectMeta, path: FieldPath, errors: FieldErrors): void {
  checkAnnotations(meta.annotations, path.child('annotations'), errors);
  checkLabels(meta.labels, path.child('labels'), errors);
  for (const [name, member] of members)
    if (meta[member] !== undefined) errors.push(forbidden(path.child(name), 'cannot be set'));
}
