import type {
  ParamKind,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../gen/types/admissionregistration-v1.ts';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
} from '../gen/types/admissionregistration-v1alpha1.ts';
import { formatLabelSelector } from '../meta/label-selector.ts';
import { ageCell } from '../table/cells.ts';
import type { WebhookConfiguration } from './webhooks.ts';

type Cells = (string | number)[];

export const webhookConfigurationCells = ({ metadata, webhooks }: WebhookConfiguration, now: Date): Cells => [
  metadata.name ?? '',
  webhooks?.length ?? 0,
  ageCell(metadata.creationTimestamp, now),
];

export const policyCells = ({ metadata, spec }: ValidatingAdmissionPolicy, now: Date): Cells => [
  metadata.name ?? '',
  spec.validations?.length ?? 0,
  paramKindCell(spec.paramKind),
  ageCell(metadata.creationTimestamp, now),
];

export const mutatingPolicyCells = ({ metadata, spec }: MutatingAdmissionPolicy, now: Date): Cells => [
  metadata.name ?? '',
  spec.mutations?.length ?? 0,
  paramKindCell(spec.paramKind),
  ageCell(metadata.creationTimestamp, now),
];

const paramKindCell = (kind: ParamKind | undefined): string =>
  kind === undefined ? '<unset>' : `${kind.apiVersion ?? ''}/${kind.kind ?? ''}`;

type PolicyBinding = ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding;

export function policyBindingCells({ metadata, spec }: PolicyBinding, now: Date): Cells {
  return [
    metadata.name ?? '',
    spec.policyName ?? '',
    paramRefCell(spec.paramRef),
    ageCell(metadata.creationTimestamp, now),
  ];
}

/** `*` stands for the namespace of the object that is judged. */
function paramRefCell(ref: ValidatingAdmissionPolicyBinding['spec']['paramRef']): string {
  if (ref === undefined) return '<unset>';
  if ((ref.name ?? '') === '') return formatLabelSelector(ref.selector);
  return `${ref.namespace === undefined || ref.namespace === '' ? '*' : ref.namespace}/${ref.name!}`;
}
