/** Conditions that others write, and that the readiness of a pod depends on. */
import type { Pod, PodCondition } from '../../../api/gen/types/core-v1.ts';
import { ownConditions } from '../../pod-lifecycle/conditions.ts';

/** Changes when one of the conditions does that the gates name; empty without gates. */
export const gatesOf = ({ spec, status }: Pod): string =>
  (spec.readinessGates ?? [])
    .map(({ conditionType }) => status.conditions?.find(({ type }) => type === conditionType)?.status ?? '')
    .join();

/** Those of others as the pod has them, and those of the node as they were computed. */
export const conditionsBefore = (pod: Pod, computed: readonly PodCondition[]): readonly PodCondition[] =>
  pod.spec.readinessGates === undefined
    ? computed
    : [...(pod.status.conditions ?? []).filter((each) => !isOwn(each)), ...computed.filter(isOwn)];

export const isOwn = ({ type = '' }: PodCondition): boolean => ownConditions.includes(type);
