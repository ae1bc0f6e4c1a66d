/**
 * What no webhook and no policy is asked about: the configuration of both. A mistake in it could not be corrected
 * otherwise.
 */
import type { AdmissionAttributes } from '../../../registry/admission.ts';

const kinds: ReadonlySet<string> = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
]);

export type IsExempt = (target: Pick<AdmissionAttributes, 'kind' | 'resource'>) => boolean;

export const isExempt: IsExempt = ({ kind: { group, kind } }) =>
  group === 'admissionregistration.k8s.io' && kinds.has(kind);

const policies: ReadonlySet<string> = new Set([
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

/** What policies are not asked about: they may well be asked about the configuration of webhooks. */
export const isPolicy: IsExempt = ({ resource: { group, resource } }) =>
  group === 'admissionregistration.k8s.io' && policies.has(resource);
