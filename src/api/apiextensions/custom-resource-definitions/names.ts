import type { CustomResourceDefinitionNames } from '../../gen/types/apiextensions-v1.ts';
import { invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1035Label } from '../../../machinery/formats/names.ts';

export const checkLabel = (value: string, path: FieldPath, errors: FieldErrors): void => {
  const messages = isDns1035Label(value);
  if (messages.length > 0) errors.push(invalid(path, value, messages.join(',')));
};

/** Names that a definition has to have; defaults have filled in what can be derived. */
export function checkRequiredNames(names: CustomResourceDefinitionNames, path: FieldPath, errors: FieldErrors): void {
  for (const member of ['plural', 'singular', 'kind', 'listKind'] as const)
    if ((names[member] ?? '') === '') errors.push(required(path.child(member)));
}

/** Also for the names that were accepted. */
export function checkNames(names: CustomResourceDefinitionNames, path: FieldPath, errors: FieldErrors): void {
  for (const member of ['plural', 'singular'] as const)
    if ((names[member] ?? '') !== '') checkLabel(names[member]!, path.child(member), errors);
  for (const member of ['kind', 'listKind'] as const) checkKind(names[member] ?? '', path.child(member), errors);
  names.shortNames?.forEach((name, i) => checkLabel(name, path.child('shortNames').index(i), errors));
  // A list could not be told from an object.
  if ((names.kind ?? '') !== '' && names.kind === names.listKind)
    errors.push(invalid(path.child('listKind'), names.listKind, 'kind and listKind may not be the same'));
  names.categories?.forEach((name, i) => checkLabel(name, path.child('categories').index(i), errors));
}

function checkKind(kind: string, path: FieldPath, errors: FieldErrors): void {
  const messages = kind === '' ? [] : isDns1035Label(kind.toLowerCase());
  if (messages.length > 0)
    errors.push(invalid(path, kind, `may have mixed case, but should otherwise match: ${messages.join(',')}`));
}
