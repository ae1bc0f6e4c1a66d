import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../gen/types/admissionregistration-v1.ts';
import { setMatchResourcesDefaults } from './match-resources.ts';

export function setPolicyDefaults({ spec }: ValidatingAdmissionPolicy): void {
  spec.failurePolicy ??= 'Fail';
  setMatchResourcesDefaults(spec.matchConstraints);
}

export function setPolicyBindingDefaults({ spec }: ValidatingAdmissionPolicyBinding): void {
  setMatchResourcesDefaults(spec.matchResources);
}
