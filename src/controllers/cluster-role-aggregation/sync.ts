/** The rules of cluster roles that are made of others. */
import type { ClusterRole, PolicyRule } from '../../api/gen/types/rbac-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import { matchesLabels, requirementsOf } from '../../machinery/label-selector.ts';

export const isAggregated = ({ aggregationRule }: ClusterRole): boolean => aggregationRule !== undefined;

/**
 * The rules of all roles that the selectors of a role match, each once: by selector, then by name. A role does not
 * match itself.
 *
 * @returns undefined when the role has them already
 */
export function aggregatedRules(role: ClusterRole, roles: readonly ClusterRole[]): PolicyRule[] | undefined {
  const byName = [...roles].sort((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const requirements = requirementsOf(selector);
    for (const { metadata, rules: own } of byName) {
      if (metadata.name === role.metadata.name || !matchesLabels(requirements, metadata.labels)) continue;
      for (const rule of own ?? []) if (!rules.some((known) => isEqual(known, rule))) rules.push(rule);
    }
  }
  return isEqual(role.rules ?? [], rules) ? undefined : rules;
}
