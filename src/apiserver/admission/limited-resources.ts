/**
 * What may be used only where a quota covers it, by the configuration of ResourceQuota: without such a quota the write
 * is refused, where it would else be without a limit.
 * @see {@link https://kubernetes.io/docs/concepts/policy/resource-quotas/#limit-priority-class-consumption-by-default |
 *   Limit Priority Class consumption by default}
 */
import type { Pod, ResourceQuota, ScopedResourceSelectorRequirement } from '../../api/gen/types/core-v1.ts';
import type { PodResourcesOptions } from '../../api/core/pods/pod-requests.ts';
import { isScopeMet, scopesOf } from '../../api/core/resource-quotas/scopes.ts';
import { countsAs, usageOf } from '../../api/core/resource-quotas/usage.ts';
import { plainError } from '../../machinery/status.ts';
import type { AdmissionAttributes } from '../../registry/admission.ts';
import { refused } from './attributes.ts';
import type { LimitedResource } from './configuration/plugin-configuration.ts';

export interface Coverage {
  readonly limitedResources: readonly LimitedResource[];
  /** All of the namespace, and those of them whose scopes the object meets. */
  readonly quotas: readonly ResourceQuota[];
  readonly counting: readonly ResourceQuota[];
  /** Undefined for other objects. */
  readonly pod: Pod | undefined;
  readonly podResources: PodResourcesOptions;
}

export function checkCovered(attributes: AdmissionAttributes, coverage: Coverage): void {
  const uncovered = uncoveredNames(attributes, coverage);
  if (uncovered.length > 0) throw refused(attributes, `insufficient quota to consume: ${uncovered.join(',')}`);
  const scopes = uncoveredScopes(coverage);
  // As upstream: an error of the server.
  if (scopes.length > 0)
    throw plainError(`insufficient quota to match these scopes: [${scopes.map(scopeText).join(' ')}]`);
}

function uncoveredNames(
  { resource: { group, resource }, object }: AdmissionAttributes,
  { limitedResources, counting, podResources }: Coverage,
): readonly string[] {
  const parts = limitedResources
    .filter((limited) => limited.apiGroup === group && limited.resource === resource)
    .flatMap(({ matchContains }) => matchContains);
  if (parts.length === 0) return [];
  const covered = new Set(counting.flatMap(({ status }) => Object.keys(status?.hard ?? {})));
  return [...usageOf(group, resource, object!, podResources)]
    .filter(([name, amount]) => amount.sign() > 0 && parts.some((part) => name.includes(part)))
    .map(([name]) => name)
    .filter((name) => !(covered.has(name) && countsAs(group, resource, name)))
    .sort();
}

/** A scope is covered by any quota that has one of the same name which the pod meets. */
function uncoveredScopes({
  limitedResources,
  quotas,
  pod,
  podResources: { podLevel },
}: Coverage): readonly ScopedResourceSelectorRequirement[] {
  if (pod === undefined) return [];
  const isMet = (scope: ScopedResourceSelectorRequirement): boolean => isScopeMet(scope, pod, podLevel);
  const covered = new Set(quotas.flatMap((quota) => scopesOf(quota).filter(isMet)).map(({ scopeName }) => scopeName));
  return limitedResources
    .flatMap(({ matchScopes }) => matchScopes)
    .filter((scope) => isMet(scope) && !covered.has(scope.scopeName));
}

/** As Go prints the struct. */
const scopeText = ({ scopeName, operator, values = [] }: ScopedResourceSelectorRequirement): string =>
  `{${scopeName} ${operator} [${values.join(' ')}]}`;
