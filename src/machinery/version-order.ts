import { compareText } from './compare-text.ts';

/**
 * The order of API versions: stable before beta before alpha, newer before older, and names that say nothing last, by
 * name: `v10`, `v2`, `v1beta1`, `v2alpha1`, `other`.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority
 *   | Version priority}
 */
const pattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const stages: Readonly<Record<string, number>> = { alpha: 0, beta: 1 };

export function compareVersions(a: string, b: string): number {
  const [first, second] = [pattern.exec(a), pattern.exec(b)];
  if (first === null || second === null) return first !== null ? -1 : second !== null ? 1 : compareText(a, b);
  return (
    stageOf(second) - stageOf(first) ||
    Number(second[1]) - Number(first[1]) ||
    Number(second[3] ?? 0) - Number(first[3] ?? 0)
  );
}

const stageOf = ([, , stage]: RegExpExecArray): number => (stage === undefined ? 2 : stages[stage]!);
