/** Conditions of definitions. */
import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from '../../gen/types/apiextensions-v1.ts';

export type ConditionType =
  | 'NamesAccepted'
  | 'Established'
  | 'Terminating'
  | 'NonStructuralSchema'
  | 'KubernetesAPIApprovalPolicyConformant';

export interface Finding {
  readonly type: ConditionType;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export const conditionOf = (
  { status }: CustomResourceDefinition,
  type: ConditionType,
): CustomResourceDefinitionCondition | undefined => status.conditions?.find((condition) => condition.type === type);

export const hasCondition = (definition: CustomResourceDefinition, type: ConditionType): boolean =>
  conditionOf(definition, type)?.status === 'True';

/** The time of the last transition stays while the status does. Lists are made anew: what was read may be shared. */
export function setCondition(
  definition: CustomResourceDefinition,
  { type, status, reason, message }: Finding,
  now: string,
): void {
  const { conditions = [] } = definition.status;
  const old = conditions.find((condition) => condition.type === type);
  const lastTransitionTime =
    old?.status === status && old.lastTransitionTime !== undefined ? old.lastTransitionTime : now;
  const next: CustomResourceDefinitionCondition = { type, status, lastTransitionTime, reason, message };
  definition.status.conditions =
    old === undefined ? [...conditions, next] : conditions.map((condition) => (condition === old ? next : condition));
}

export function removeCondition(definition: CustomResourceDefinition, type: ConditionType): void {
  const { conditions } = definition.status;
  if (conditions?.some((condition) => condition.type === type) === true)
    definition.status.conditions = conditions.filter((condition) => condition.type !== type);
}
