/**
 * Rules in CEL, as far as their text shows. @see {@link
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules |
 * Validation rules}
 */
import type { JSONSchemaProps, ValidationRule } from '../../gen/types/apiextensions-v1.ts';
import { invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { resolveFieldPath } from './json-paths.ts';

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

const lineBreak = /[\n\r]/;

export function checkValidationRules(schema: JSONSchemaProps, path: FieldPath, errors: FieldErrors): void {
  schema['x-kubernetes-validations']?.forEach((rule, i) => {
    const at = path.index(i);
    checkTexts(rule, at, errors);
    if (rule.reason !== undefined && !reasons.includes(rule.reason))
      errors.push(notSupported(at.child('reason'), rule.reason, reasons));
    checkFieldPath(rule.fieldPath ?? '', schema, at.child('fieldPath'), errors);
  });
}

function checkTexts(
  { rule = '', message = '', messageExpression = '' }: ValidationRule,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const trimmed = message.trim();
  if (rule.trim() === '') errors.push(required(path.child('rule'), 'rule is not specified'));
  else if (message !== '' && trimmed === '')
    errors.push(invalid(path.child('message'), message, 'message must be non-empty if specified'));
  else if (lineBreak.test(trimmed))
    errors.push(invalid(path.child('message'), message, 'message must not contain line breaks'));
  else if (lineBreak.test(rule.trim()) && trimmed === '')
    errors.push(required(path.child('message'), 'message must be specified if rule contains line breaks'));
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(required(path.child('messageExpression'), 'messageExpression must be non-empty if specified'));
}

function checkFieldPath(text: string, schema: JSONSchemaProps, path: FieldPath, errors: FieldErrors): void {
  if (text === '') return;
  if (text.trim() === '') errors.push(invalid(path, text, 'fieldPath must be non-empty if specified'));
  if (lineBreak.test(text)) errors.push(invalid(path, text, 'fieldPath must not contain line breaks'));
  if (typeof resolveFieldPath(text, schema) === 'string')
    errors.push(invalid(path, text, 'fieldPath must be a valid path'));
}
