import type { ValidatingAdmissionPolicyBinding, ValidationAction } from '../../gen/types/admissionregistration-v1.ts';
import { duplicate, invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { goNames } from '../../../machinery/go-quote.ts';
import { checkEnum, checkFormat } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta } from '../../meta/object-meta.ts';
import { checkMatchResources } from '../match-resources.ts';
import { checkParamRef } from '../param-ref.ts';

const specPath = FieldPath.of('spec');
const actions = ['Audit', 'Deny', 'Warn'];

export function validateBinding({ metadata, spec }: ValidatingAdmissionPolicyBinding): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName });
  const { policyName = '' } = spec;
  if (policyName === '') errors.push(required(specPath.child('policyName')));
  else checkFormat(isDns1123Subdomain, policyName, specPath.child('policyName'), errors);
  if (spec.paramRef !== undefined) checkParamRef(spec.paramRef, specPath.child('paramRef'), errors);
  // The misspelt path is upstream's, and clients see it.
  if (spec.matchResources !== undefined)
    checkMatchResources(spec.matchResources, specPath.child('matchResouces'), errors);
  checkActions(spec.validationActions ?? [], specPath.child('validationActions'), errors);
  return errors;
}

function checkActions(list: readonly ValidationAction[], path: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>();
  list.forEach((action, i) => {
    checkEnum(action, actions, path.index(i), errors);
    if (seen.has(action)) errors.push(duplicate(path.index(i), action));
    seen.add(action);
  });
  if (seen.has('Deny') && seen.has('Warn')) {
    const shown = goNames('[]admissionregistration.ValidationAction', list);
    errors.push(
      invalid(
        path,
        shown,
        'must not contain both Deny and Warn (repeating the same validation failure information in the API ' +
          'response and headers serves no purpose)',
      ),
    );
  }
  if (list.length === 0) errors.push(required(path, 'at least one validation action is required'));
}
