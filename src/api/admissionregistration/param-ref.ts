import type { ParamRef } from '../gen/types/admissionregistration-v1.ts';
import { forbidden, required } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { isPathSegmentName } from '../../machinery/formats/names.ts';
import { checkEnum, checkFormat } from '../meta/checks.ts';
import { checkLabelSelector } from '../meta/label-selector.ts';

const notFoundActions = ['Deny', 'Allow'];
const exclusive = 'name and selector are mutually exclusive';

export function checkParamRef(
  { name = '', selector, parameterNotFoundAction = '' }: ParamRef,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (name !== '') checkFormat(isPathSegmentName, name, path.child('name'), errors);
  if (name !== '' && selector !== undefined)
    errors.push(forbidden(path.child('name'), exclusive), forbidden(path.child('selector'), exclusive));
  checkLabelSelector(selector, path.child('selector'), errors);
  if (name === '' && selector === undefined) errors.push(required(path, 'one of name or selector must be specified'));
  if (parameterNotFoundAction === '') errors.push(required(path.child('parameterNotFoundAction')));
  else checkEnum(parameterNotFoundAction, notFoundActions, path.child('parameterNotFoundAction'), errors);
}
