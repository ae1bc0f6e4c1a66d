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

export const isExempt = ({ kind: { group, kind } }: Pick<AdmissionAttributes, 'kind'>): boolean =>
  group === 'admissionregistration.k8s.io' && kinds.has(kind);
