import { setPolicyBindingDefaults, validatePolicyBinding } from '../../api/admissionregistration/policy-binding.ts';
import {
  setPolicyDefaults,
  validatePolicy,
  validatePolicyStatusUpdate,
} from '../../api/admissionregistration/policy.ts';
import { policyBindingCells, policyCells, webhookConfigurationCells } from '../../api/admissionregistration/table.ts';
import {
  setMutatingWebhookDefaults,
  setWebhookDefaults,
  validateWebhookConfiguration,
} from '../../api/admissionregistration/webhooks.ts';
import type {
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../../api/gen/types/admissionregistration-v1.ts';
import { defineResource, type ResourceDefinition, type VersionRules } from '../strategy.ts';
import { keepMetadata } from '../status-metadata.ts';

const group = 'admissionregistration.k8s.io';

/** A change counts from what was read: writers without a resourceVersion are refused. */
const common = { generation: true, allowUnconditionalUpdate: false } as const;

const policyDefaults = { defaults: setPolicyDefaults } as VersionRules;
const bindingDefaults = { defaults: setPolicyBindingDefaults } as VersionRules;

export const definitions: readonly ResourceDefinition[] = [
  defineResource<ValidatingWebhookConfiguration>({
    group,
    resource: 'validatingwebhookconfigurations',
    versions: { v1: { defaults: setWebhookDefaults } as VersionRules },
    strategy: { ...common, validateInTurns: validateWebhookConfiguration },
    table: { cells: (configuration, { now }) => webhookConfigurationCells(configuration, now) },
  }),
  defineResource<MutatingWebhookConfiguration>({
    group,
    resource: 'mutatingwebhookconfigurations',
    versions: { v1: { defaults: setMutatingWebhookDefaults } as VersionRules },
    strategy: { ...common, validateInTurns: validateWebhookConfiguration },
    table: { cells: (configuration, { now }) => webhookConfigurationCells(configuration, now) },
  }),
  defineResource<ValidatingAdmissionPolicy>({
    group,
    resource: 'validatingadmissionpolicies',
    versions: { v1: policyDefaults, v1beta1: policyDefaults },
    strategy: {
      ...common,
      prepareForCreate: (policy) => {
        policy.status = {};
      },
      validateInTurns: validatePolicy,
      prepareForUpdate: (policy, old) => {
        policy.status = old.status;
      },
      resetFields: [['status']],
    },
    status: {
      prepareForUpdate: (policy, old) => {
        policy.spec = old.spec;
        keepMetadata(policy.metadata, old.metadata);
      },
      validateUpdate: validatePolicyStatusUpdate,
      resetFields: [['metadata'], ['spec']],
    },
    table: { cells: (policy, { now }) => policyCells(policy, now) },
  }),
  defineResource<ValidatingAdmissionPolicyBinding>({
    group,
    resource: 'validatingadmissionpolicybindings',
    versions: { v1: bindingDefaults, v1beta1: bindingDefaults },
    strategy: { ...common, validate: validatePolicyBinding, validateUpdate: validatePolicyBinding },
    table: { cells: (binding, { now }) => policyBindingCells(binding, now) },
  }),
];
