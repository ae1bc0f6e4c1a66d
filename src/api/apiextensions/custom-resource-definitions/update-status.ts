/** The status of a definition: accepted names and conditions. */
import type { CustomResourceDefinition } from '../../gen/types/apiextensions-v1.ts';
import { aggregateText, invalid } from '../../../machinery/field-error.ts';
import { FieldErrors, gathered } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { approvalOf } from './approval.ts';
import { conditionOf, type Finding, hasCondition, removeCondition, setCondition } from './conditions.ts';
import { decideAcceptedNames } from './accepted-names.ts';
import { checkStructural } from './structural.ts';

export interface StatusOptions {
  readonly others: Iterable<CustomResourceDefinition>;
  /**
   * Whether a definition whose names were just accepted is served from now on, or has to wait for other servers to hear
   * of it.
   */
  readonly establish: boolean;
  /** RFC 3339 */
  readonly now: string;
}

/** Brings names and conditions up to date. */
export function updateStatus(definition: CustomResourceDefinition, { others, establish, now }: StatusOptions): void {
  const { acceptedNames, namesAccepted } = decideAcceptedNames(definition, others);
  definition.status = { ...definition.status, acceptedNames };
  setCondition(definition, namesAccepted, now);
  setCondition(definition, established(definition, namesAccepted.status === 'True', establish), now);
  setOrRemove(definition, 'NonStructuralSchema', nonStructural(definition), now);
  setOrRemove(definition, 'KubernetesAPIApprovalPolicyConformant', approval(definition), now);
}

export const namesAreAccepted = 'the initial names have been accepted';

/** What was established once stays so: there may be objects. */
function established(definition: CustomResourceDefinition, namesAccepted: boolean, establish: boolean): Finding {
  if (hasCondition(definition, 'Established') || (namesAccepted && establish))
    return { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: namesAreAccepted };
  if (namesAccepted) return { type: 'Established', status: 'False', reason: 'Installing', message: namesAreAccepted };
  return { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
}

function setOrRemove(
  definition: CustomResourceDefinition,
  type: Finding['type'],
  finding: Finding | undefined,
  now: string,
): void {
  if (finding !== undefined) setCondition(definition, finding, now);
  else if (conditionOf(definition, type) !== undefined) removeCondition(definition, type);
}

/** Definitions that were written before schemas had to be structural. */
function nonStructural({ spec }: CustomResourceDefinition): Finding | undefined {
  const path = FieldPath.of('spec', 'versions');
  const preserves =
    spec.preserveUnknownFields === true
      ? [invalid(FieldPath.of('spec', 'preserveUnknownFields'), true, 'must be false')]
      : [];
  const problems = gathered(() =>
    FieldErrors.joined(
      preserves,
      ...(spec.versions ?? []).map(({ schema }, i) =>
        schema?.openAPIV3Schema === undefined
          ? []
          : checkStructural(schema.openAPIV3Schema, path.index(i).child('schema', 'openAPIV3Schema')),
      ),
    ),
  );
  return problems.length === 0
    ? undefined
    : { type: 'NonStructuralSchema', status: 'True', reason: 'Violations', message: aggregateText(problems) };
}

const approvalReasons = {
  missing: 'MissingAnnotation',
  invalid: 'InvalidAnnotation',
  bypassed: 'UnapprovedAnnotation',
  approved: 'ApprovedAnnotation',
} as const;

function approval(definition: CustomResourceDefinition): Finding | undefined {
  const found = approvalOf(definition);
  if (found === undefined) return undefined;
  return {
    type: 'KubernetesAPIApprovalPolicyConformant',
    status: found.state === 'approved' ? 'True' : 'False',
    reason: approvalReasons[found.state],
    message: found.message,
  };
}
