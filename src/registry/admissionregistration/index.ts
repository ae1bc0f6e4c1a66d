import {
  setMutatingPolicyBindingDefaults,
  setPolicyBindingDefaults,
  setPolicyDefaults,
} from '../../api/admissionregistration/defaults.ts';
import {
  mutatingPolicyCells,
  policyBindingCells,
  policyCells,
  webhookConfigurationCells,
} from '../../api/admissionregistration/table.ts';
import { setMutatingWebhookDefaults, setWebhookDefaults } from '../../api/admissionregistration/webhooks.ts';
import type {
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../../api/gen/types/admissionregistration-v1.ts';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
} from '../../api/gen/types/admissionregistration-v1alpha1.ts';
import { defineResource, type ResourceDefinition, type VersionRules } from '../strategy.ts';
import { mutatingAdmissionPolicyStrategy } from './mutating-admission-policies/strategy.ts';
import { mutatingAdmissionPolicyBindingStrategy } from './mutating-admission-policy-bindings/strategy.ts';
import { validatingWebhookConfigurationStrategy } from './validating-webhook-configurations/strategy.ts';
import { mutatingWebhookConfigurationStrategy } from './mutating-webhook-configurations/strategy.ts';
import {
  validatingAdmissionPolicyStatusStrategy,
  validatingAdmissionPolicyStrategy,
} from './validating-admission-policies/strategy.ts';
import { validatingAdmissionPolicyBindingStrategy } from './validating-admission-policy-bindings/strategy.ts';

const group = 'admissionregistration.k8s.io';

const policyDefaults = { defaults: setPolicyDefaults } as VersionRules;
const bindingDefaults = { defaults: setPolicyBindingDefaults } as VersionRules;

export const definitions: readonly ResourceDefinition[] = [
  defineResource<ValidatingWebhookConfiguration>({
    group,
    resource: 'validatingwebhookconfigurations',
    versions: { v1: { defaults: setWebhookDefaults } as VersionRules },
    strategy: validatingWebhookConfigurationStrategy,
    table: { cells: (configuration, { now }) => webhookConfigurationCells(configuration, now) },
  }),
  defineResource<MutatingWebhookConfiguration>({
    group,
    resource: 'mutatingwebhookconfigurations',
    versions: { v1: { defaults: setMutatingWebhookDefaults } as VersionRules },
    strategy: mutatingWebhookConfigurationStrategy,
    table: { cells: (configuration, { now }) => webhookConfigurationCells(configuration, now) },
  }),
  defineResource<ValidatingAdmissionPolicy>({
    group,
    resource: 'validatingadmissionpolicies',
    versions: { v1: policyDefaults, v1beta1: policyDefaults },
    strategy: validatingAdmissionPolicyStrategy,
    status: validatingAdmissionPolicyStatusStrategy,
    table: { cells: (policy, { now }) => policyCells(policy, now) },
  }),
  defineResource<ValidatingAdmissionPolicyBinding>({
    group,
    resource: 'validatingadmissionpolicybindings',
    versions: { v1: bindingDefaults, v1beta1: bindingDefaults },
    strategy: validatingAdmissionPolicyBindingStrategy,
    table: { cells: (binding, { now }) => policyBindingCells(binding, now) },
  }),
  defineResource<MutatingAdmissionPolicy>({
    group,
    resource: 'mutatingadmissionpolicies',
    versions: { v1alpha1: policyDefaults },
    strategy: mutatingAdmissionPolicyStrategy,
    table: { cells: (policy, { now }) => mutatingPolicyCells(policy, now) },
  }),
  defineResource<MutatingAdmissionPolicyBinding>({
    group,
    resource: 'mutatingadmissionpolicybindings',
    versions: { v1alpha1: { defaults: setMutatingPolicyBindingDefaults } as VersionRules },
    strategy: mutatingAdmissionPolicyBindingStrategy,
    table: { cells: (binding, { now }) => policyBindingCells(binding, now) },
  }),
];
