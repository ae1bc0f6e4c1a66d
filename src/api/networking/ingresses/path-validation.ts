import type { HTTPIngressPath } from '../../gen/types/networking-v1.ts';
import { invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { checkIngressBackend } from './backend-validation.ts';

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];
/** Proxies disagree about what these mean. */
const forbiddenParts = ['//', '/./', '/../', '%2f', '%2F'];
const forbiddenEnds = ['/..', '/.'];

export function checkPaths(paths: readonly HTTPIngressPath[] | undefined, path: FieldPath, errors: FieldErrors): void {
  paths?.forEach((item, i) => checkPath(item, path.index(i), errors));
}

function checkPath(
  { path: text = '', pathType, backend }: HTTPIngressPath,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (pathType === undefined) return void errors.push(required(path.child('pathType'), 'pathType must be specified'));
  if (pathType === 'Exact' || pathType === 'Prefix') checkComparedPath(text, path.child('path'), errors);
  else if (pathType === 'ImplementationSpecific') {
    if (text !== '') checkAbsolute(text, path.child('path'), errors);
  } else errors.push(notSupported(path.child('pathType'), pathType, pathTypes));
  checkIngressBackend(backend, path.child('backend'), errors);
}

function checkComparedPath(text: string, path: FieldPath, errors: FieldErrors): void {
  checkAbsolute(text, path, errors);
  for (const part of forbiddenParts)
    if (text.includes(part)) errors.push(invalid(path, text, `must not contain '${part}'`));
  for (const end of forbiddenEnds) if (text.endsWith(end)) errors.push(invalid(path, text, `cannot end with '${end}'`));
}

function checkAbsolute(text: string, path: FieldPath, errors: FieldErrors): void {
  if (!text.startsWith('/')) errors.push(invalid(path, text, 'must be an absolute path'));
}
