/**
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ | Taints and tolerations}
 */
import type { Taint, Toleration } from '../../gen/types/core-v1.ts';

export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = '', operator = '', value = '', effect = '' } = toleration;
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return (operator === '' || operator === 'Equal') && value === (taint.value ?? '');
}

export function toleratesTaint(tolerations: readonly Toleration[] | undefined, taint: Taint): boolean {
  if (tolerations !== undefined) for (const toleration of tolerations) if (tolerates(toleration, taint)) return true;
  return false;
}

const isRepelling = ({ effect }: Taint): boolean => effect === 'NoSchedule' || effect === 'NoExecute';

/** The first taint that keeps pods away and that is not tolerated. */
export function untoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
): Taint | undefined {
  if (taints === undefined) return undefined;
  for (const taint of taints) if (isRepelling(taint) && !toleratesTaint(tolerations, taint)) return taint;
  return undefined;
}
