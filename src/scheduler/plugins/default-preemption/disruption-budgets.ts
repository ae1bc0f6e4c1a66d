/** Which pods a preemption could remove without breaking a disruption budget. */
import type { PodDisruptionBudget } from '../../../api/gen/types/policy-v1.ts';
import { matchesLabels, type Requirements, requirementsOf } from '../../../machinery/label-selector.ts';
import type { PodInfo } from '../../state/pod-info.ts';

interface OpenBudget {
  readonly namespace: string;
  readonly selector: Requirements;
  /** Pods whose eviction is counted already. */
  readonly disrupted: Readonly<Record<string, unknown>>;
  allowed: number;
}

export interface ByBudget {
  readonly violating: readonly PodInfo[];
  readonly others: readonly PodInfo[];
}

/** The pods in their order: each takes from the budgets that it belongs to, and violates those with nothing left. */
export function splitByBudget(pods: readonly PodInfo[], budgets: readonly PodDisruptionBudget[]): ByBudget {
  if (budgets.length === 0) return { violating: [], others: pods };
  const open = budgets.flatMap(openBudget);
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const pod of pods) (violates(pod, open) ? violating : others).push(pod);
  return { violating, others };
}

/** None for a budget without a selector, which is about no pod. */
function openBudget({ metadata, spec, status }: PodDisruptionBudget): OpenBudget[] {
  const selector = requirementsOf(spec.selector);
  if (selector.length === 0 || typeof selector === 'string') return [];
  return [
    {
      namespace: metadata.namespace ?? '',
      selector,
      disrupted: status.disruptedPods ?? {},
      allowed: status.disruptionsAllowed ?? 0,
    },
  ];
}

function violates({ pod, name, namespace }: PodInfo, budgets: readonly OpenBudget[]): boolean {
  const { labels } = pod.metadata;
  if (labels === undefined || Object.keys(labels).length === 0) return false;
  let isViolated = false;
  for (const budget of budgets) {
    if (budget.namespace !== namespace || !matchesLabels(budget.selector, labels)) continue;
    if (Object.hasOwn(budget.disrupted, name)) continue;
    if (--budget.allowed < 0) isViolated = true;
  }
  return isViolated;
}
