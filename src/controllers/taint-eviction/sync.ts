/** When a pod has to leave its node. */
import type { Pod, Taint } from '../../api/gen/types/core-v1.ts';
import { tolerates } from '../../api/core/nodes/taints.ts';

/** Milliseconds that the pod may stay with these taints; undefined for good. */
export function stayMs({ spec }: Pod, taints: readonly Taint[]): number | undefined {
  const evicting = taints.filter(({ effect }) => effect === 'NoExecute');
  const tolerations = spec?.tolerations ?? [];
  let shortest: number | undefined;
  for (const taint of evicting) {
    const found = tolerations.filter((toleration) => tolerates(toleration, taint));
    if (found.length === 0) return 0;
    for (const { tolerationSeconds } of found) {
      if (tolerationSeconds === undefined) continue;
      const ms = Math.max(0, Number(tolerationSeconds)) * 1000;
      if (shortest === undefined || ms < shortest) shortest = ms;
    }
  }
  return shortest;
}
