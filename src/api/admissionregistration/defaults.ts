import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../gen/types/admissionregistration-v1.ts';
import type { MutatingAdmissionPolicyBinding } from '../gen/types/admissionregistration-v1alpha1.ts';
import { setMatchResourcesDefaults } from './match-resources.ts';

/** Of mutating policies too. */
export function setPolicyDefaults({ spec }: Pick<ValidatingAdmissionPolicy, 'spec'>): void {
  spec.failurePolicy ??= 'Fail';
  setMatchResourcesDefaults(spec.matchConstraints);
}

export function setPolicyBindingDefaults({ spec }: ValidatingAdmissionPolicyBinding): void {
  setMatchResourcesDefaults(spec.matchResources);
}

export function setMutatingPolicyBindingDefaults({ spec }: MutatingAdmissionPolicyBinding): void {
  if (spec.paramRef !== undefined) spec.paramRef.parameterNotFoundAction ??= 'Deny';
  setMatchResourcesDefaults(spec.matchResources);
}
