import type { Pod, ResourceQuota, ScopedResourceSelectorRequirement } from '../../gen/types/core-v1.ts';
import { qosClassOf } from '../pods/qos.ts';

/**
 * Whether a quota is about this pod. Quotas with scopes are about pods only.
 *
 * @param pod undefined for other objects
 * @param podLevel feature gate PodLevelResources
 */
export const isInScope = (quota: ResourceQuota, pod: Pod | undefined, podLevel: boolean): boolean =>
  scopesOf(quota).every((requirement) => pod !== undefined && isScopeMet(requirement, pod, podLevel));

/** All scopes of a quota, in the longer of the two forms. */
export const scopesOf = ({ spec }: ResourceQuota): readonly ScopedResourceSelectorRequirement[] => [
  ...(spec?.scopes ?? []).map((scopeName): ScopedResourceSelectorRequirement => ({ scopeName, operator: 'Exists' })),
  ...(spec?.scopeSelector?.matchExpressions ?? []),
];

export function isScopeMet(
  { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement,
  { spec }: Pod,
  podLevel: boolean,
): boolean {
  const hasDeadline = spec.activeDeadlineSeconds !== undefined && Number(spec.activeDeadlineSeconds) >= 0;
  switch (scopeName) {
    case 'Terminating':
      return hasDeadline;
    case 'NotTerminating':
      return !hasDeadline;
    case 'BestEffort':
      return qosClassOf(spec, podLevel) === 'BestEffort';
    case 'NotBestEffort':
      return qosClassOf(spec, podLevel) !== 'BestEffort';
    case 'CrossNamespacePodAffinity':
      return reachesOtherNamespaces(spec);
    default:
      return matchesPriority(operator ?? 'Exists', values, spec.priorityClassName ?? '');
  }
}

function matchesPriority(operator: string, values: readonly string[], name: string): boolean {
  switch (operator) {
    case 'In':
      return name !== '' && values.includes(name);
    case 'NotIn':
      return name === '' || !values.includes(name);
    case 'DoesNotExist':
      return name === '';
    default:
      return name !== '';
  }
}

function reachesOtherNamespaces({ affinity }: Pod['spec']): boolean {
  const terms = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((part) => [
    ...(part?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(part?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some((term) => (term.namespaces?.length ?? 0) > 0 || term.namespaceSelector !== undefined);
}
