/**
 * What the failure of a pod means for its Job.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy | Pod failure policy}
 */
import type {
  Job,
  PodFailurePolicyAction,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
} from '../../api/gen/types/batch-v1.ts';
import type { ContainerStatus, Pod } from '../../api/gen/types/core-v1.ts';
import { isPodFailed } from './job-pods.ts';

export interface FailureJudgement {
  /** Of the rule that matched. */
  readonly action: PodFailurePolicyAction | undefined;
  /** Against the limits of the Job. */
  readonly counts: boolean;
  /** Why the Job fails, where it does. */
  readonly failsJob?: string;
}

const countedByDefault: FailureJudgement = { action: undefined, counts: true };

export function judgeFailure({ podFailurePolicy }: Job['spec'], pod: Pod): FailureJudgement {
  for (const [index, rule] of (podFailurePolicy?.rules ?? []).entries()) {
    const what = whatMatches(rule, pod);
    if (what === undefined) continue;
    const { action } = rule;
    if (action === 'FailJob')
      return { action, counts: true, failsJob: `${what} matching ${action} rule at index ${index}` };
    if (action === 'Ignore') return { action, counts: false };
    if (action === 'FailIndex' || action === 'Count') return { action, counts: true };
  }
  return countedByDefault;
}

/** Why the Job fails; undefined when no pod makes it fail. */
export function jobFailureOf(job: Job, pods: readonly Pod[]): string | undefined {
  if (job.spec.podFailurePolicy === undefined) return undefined;
  for (const pod of pods) {
    const { failsJob } = isPodFailed(pod, job) ? judgeFailure(job.spec, pod) : countedByDefault;
    if (failsJob !== undefined) return failsJob;
  }
  return undefined;
}

function whatMatches({ onExitCodes, onPodConditions = [] }: PodFailurePolicyRule, pod: Pod): string | undefined {
  const { namespace, name } = pod.metadata;
  if (onExitCodes !== undefined) {
    const container = failedContainer(pod, onExitCodes);
    if (container === undefined) return undefined;
    const { exitCode } = container.state!.terminated!;
    return `Container ${container.name} for pod ${namespace}/${name} failed with exit code ${exitCode}`;
  }
  const type = conditionOf(pod, onPodConditions);
  return type === undefined ? undefined : `Pod ${namespace}/${name} has condition ${type}`;
}

function failedContainer(
  { status }: Pod,
  { containerName, operator, values = [] }: PodFailurePolicyOnExitCodesRequirement,
): ContainerStatus | undefined {
  const isWanted = (exitCode: number): boolean =>
    operator === 'In' ? values.includes(exitCode) : operator === 'NotIn' && !values.includes(exitCode);
  return [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].find(({ name, state }) => {
    const exitCode = state?.terminated?.exitCode ?? 0;
    return (containerName === undefined || containerName === name) && exitCode !== 0 && isWanted(exitCode);
  });
}

const conditionOf = (
  { status }: Pod,
  patterns: readonly PodFailurePolicyOnPodConditionsPattern[],
): string | undefined =>
  status?.conditions?.find((condition) =>
    patterns.some((pattern) => pattern.type === condition.type && pattern.status === condition.status),
  )?.type;
