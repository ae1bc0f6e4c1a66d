/**
 * Policies in CEL, and their bindings to what they hold for.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/ | Validating
 *   Admission Policy}
 */
import type {
  AuditAnnotation,
  ExpressionWarning,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
  Validation,
} from '../../gen/types/admissionregistration-v1.ts';
import { boolType, nullType, stringType } from '../../../cel/index.ts';
import { duplicate, invalid, required } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { byteLength } from '../../../machinery/formats/names.ts';
import { checkEnum } from '../../meta/checks.ts';
import { checkConditions } from '../../meta/conditions.ts';
import { checkLabelName } from '../../meta/labels.ts';
import { checkExpression } from '../match-conditions.ts';
import { checkCommonParts, type PolicyRules } from '../policy-parts.ts';
import { shownStructs } from '../../shown-struct.ts';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const maxAuditAnnotations = 20;
const maxAuditExpressionBytes = 5 * 1024;
const nothingToDo = 'validations or auditAnnotations must contain at least one item';

function expressionsOf({
  matchConditions = [],
  variables = [],
  validations = [],
  auditAnnotations = [],
}: ValidatingAdmissionPolicySpec): ReadonlySet<string> {
  const found = [...matchConditions, ...variables, ...validations].map(({ expression }) => expression);
  const others = [
    ...validations.map(({ messageExpression }) => messageExpression),
    ...auditAnnotations.map(({ valueExpression }) => valueExpression),
  ];
  return new Set([...found, ...others].filter((expression) => expression !== undefined));
}

/** Adds what is wrong with a new or changed policy to `errors`, in the steps of each expression. */
export function* validatePolicy(
  { metadata, spec }: ValidatingAdmissionPolicy,
  old: ValidatingAdmissionPolicy | undefined,
  errors: FieldErrors,
): Generator<void, FieldErrors> {
  const stored = old === undefined ? undefined : expressionsOf(old.spec);
  const rules = yield* checkCommonParts({ metadata, spec }, specPath, stored, errors);
  yield* checkWork(spec, metadata.name ?? '', errors, rules);
  return errors;
}

function* checkWork(
  { validations = [], auditAnnotations = [] }: ValidatingAdmissionPolicySpec,
  policy: string,
  errors: FieldErrors,
  rules: PolicyRules,
): Generator<void, void> {
  const auditPath = specPath.child('auditAnnotations');
  if (validations.length === 0 && auditAnnotations.length === 0) {
    errors.push(required(specPath.child('validations'), nothingToDo), required(auditPath, nothingToDo));
    return;
  }
  for (const [i, validation] of validations.entries())
    yield* checkValidation(validation, specPath.child('validations').index(i), errors, rules);
  if (auditAnnotations.length > maxAuditAnnotations)
    errors.push(
      invalid(
        auditPath,
        shownStructs('admissionregistration/v1.AuditAnnotation', auditAnnotations),
        `must not have more than ${maxAuditAnnotations} auditAnnotations`,
      ),
    );
  const seen = new Set<string>();
  for (const [i, annotation] of auditAnnotations.entries()) {
    const { key = '' } = annotation;
    yield* checkAuditAnnotation(annotation, policy, auditPath.index(i), errors, rules);
    if (seen.has(key)) errors.push(duplicate(auditPath.index(i).child('key'), key));
    seen.add(key);
  }
}

function* checkValidation(
  { expression = '', messageExpression = '', message = '', reason }: Validation,
  path: FieldPath,
  errors: FieldErrors,
  rules: PolicyRules,
): Generator<void, void> {
  if (expression.trim() === '') errors.push(required(path.child('expression'), 'expression is not specified'));
  else yield* checkExpression(expression, path.child('expression'), errors, rules, boolType);
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(invalid(path.child('messageExpression'), messageExpression, 'must be non-empty if specified'));
  // A message is shown to users without the right to query the rights of others.
  else if (messageExpression !== '')
    yield* checkExpression(
      messageExpression,
      path.child('messageExpression'),
      errors,
      { ...rules, use: { ...rules.use, authorizer: false } },
      stringType,
    );
  if (message !== '' && message.trim() === '')
    errors.push(invalid(path.child('message'), message, 'message must be non-empty if specified'));
  else if (message.trim().includes('\n'))
    errors.push(invalid(path.child('message'), message, 'message must not contain line breaks'));
  if (reason !== undefined) checkEnum(reason, reasons, path.child('reason'), errors);
}

/** In the audit log the key has the policy's name before it. */
function* checkAuditAnnotation(
  { key = '', valueExpression = '' }: AuditAnnotation,
  policy: string,
  path: FieldPath,
  errors: FieldErrors,
  rules: PolicyRules,
): Generator<void, void> {
  checkLabelName(policy === '' ? key : `${policy}/${key}`, path.child('key'), errors);
  const trimmed = valueExpression.trim();
  if (trimmed === '') errors.push(required(path.child('valueExpression'), 'valueExpression is not specified'));
  else if (byteLength(trimmed) > maxAuditExpressionBytes)
    errors.push(required(path.child('valueExpression'), `must not exceed ${maxAuditExpressionBytes} bytes in length`));
  else yield* checkExpression(valueExpression, path.child('valueExpression'), errors, rules, stringType, nullType);
}

export function validatePolicyStatusUpdate({ status }: ValidatingAdmissionPolicy): FieldErrors {
  const errors = new FieldErrors();
  status.typeChecking?.expressionWarnings?.forEach((warning, i) =>
    checkWarning(warning, statusPath.child('typeChecking', 'expressionWarnings').index(i), errors),
  );
  checkConditions(status.conditions, statusPath.child('conditions'), errors);
  return errors;
}

function checkWarning({ warning = '', fieldRef = '' }: ExpressionWarning, path: FieldPath, errors: FieldErrors): void {
  if (warning === '') errors.push(required(path.child('warning')));
  if (fieldRef.trim() === '') errors.push(required(path.child('fieldRef')));
}
