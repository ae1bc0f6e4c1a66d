/**
 * Why a workload gets no pods by its selector. Validation refuses all of that today: such objects were stored before
 * it did, or around it.
 * @NOTE differs from upstream: there a template that the selector does not match leads to pods without an end.
 */
import { matchesLabels, type Requirements, SelectorError } from '../../machinery/label-selector.ts';
import type { PodTemplateSpec } from '../../api/gen/types/core-v1.ts';

export interface SelectorProblem {
  readonly reason: 'SelectingAll' | 'InvalidSelector' | 'SelectorMismatch';
  readonly message: string;
}

/** @param what in words: `replica set` */
export function selectorProblem(
  what: string,
  requirementsOf: () => Requirements,
  template: PodTemplateSpec | undefined,
): SelectorProblem | undefined {
  let requirements: Requirements;
  try {
    requirements = requirementsOf();
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    return { reason: 'InvalidSelector', message: `The selector of this ${what} is invalid: ${error.message}` };
  }
  if (requirements.length === 0)
    return {
      reason: 'SelectingAll',
      message: `This ${what} is selecting all pods. A non-empty selector is required.`,
    };
  if (matchesLabels(requirements, template?.metadata?.labels)) return undefined;
  const message = `The selector of this ${what} does not match the labels of its template: it would not have its pods.`;
  return { reason: 'SelectorMismatch', message };
}
