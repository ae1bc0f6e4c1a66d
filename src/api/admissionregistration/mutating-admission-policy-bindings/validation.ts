import type { MutatingAdmissionPolicyBinding } from '../../gen/types/admissionregistration-v1alpha1.ts';
import { required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { checkFormat } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta } from '../../meta/object-meta.ts';
import { checkMatchResources } from '../match-resources.ts';
import { checkMutableOperations } from '../mutable-operations.ts';
import { checkParamRef } from '../param-ref.ts';

const specPath = FieldPath.of('spec');

export function validateBinding({ metadata, spec }: MutatingAdmissionPolicyBinding): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName });
  const { policyName = '', paramRef, matchResources } = spec;
  if (policyName === '') errors.push(required(specPath.child('policyName')));
  else checkFormat(isDns1123Subdomain, policyName, specPath.child('policyName'), errors);
  if (paramRef !== undefined) checkParamRef(paramRef, specPath.child('paramRef'), errors);
  if (matchResources !== undefined) {
    checkMatchResources(matchResources, specPath.child('matchResources'), errors);
    checkMutableOperations(matchResources, specPath.child('matchResources'), errors);
  }
  return errors;
}
