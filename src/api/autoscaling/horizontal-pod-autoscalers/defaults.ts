/**
 * @see {@link https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/ | Horizontal Pod Autoscaling}
 */
import type * as v1 from '../../gen/types/autoscaling-v1.ts';
import type {
  HorizontalPodAutoscaler,
  HPAScalingPolicy,
  HPAScalingRules,
  MetricSpec,
} from '../../gen/types/autoscaling-v2.ts';

/** What is aimed at when nothing is said. */
const cpuUtilization = 80;

export const cpuMetric = (averageUtilization: number = cpuUtilization): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

export function setAutoscalerDefaults({ spec }: HorizontalPodAutoscaler): void {
  spec.minReplicas ??= 1;
  if ((spec.metrics?.length ?? 0) === 0) spec.metrics = [cpuMetric()];
  setBehaviorDefaults(spec);
}

/** Of v1 only what it has: the metrics may be in an annotation, so they are completed when it is converted. */
export function setV1AutoscalerDefaults({ spec }: v1.HorizontalPodAutoscaler): void {
  spec.minReplicas ??= 1;
}

const everySeconds = 15;
const upPolicies = (): HPAScalingPolicy[] => [
  { type: 'Pods', value: 4, periodSeconds: everySeconds },
  { type: 'Percent', value: 100, periodSeconds: everySeconds },
];
const downPolicies = (): HPAScalingPolicy[] => [{ type: 'Percent', value: 100, periodSeconds: everySeconds }];

/**
 * Where behavior is given, every part of it is. How long to look back before scaling down is left to the controller.
 */
export function setBehaviorDefaults({ behavior }: HorizontalPodAutoscaler['spec']): void {
  if (behavior === undefined) return;
  const up: HPAScalingRules = behavior.scaleUp ?? {};
  up.stabilizationWindowSeconds ??= 0;
  behavior.scaleUp = withDefaults(up, upPolicies);
  behavior.scaleDown = withDefaults(behavior.scaleDown ?? {}, downPolicies);
}

function withDefaults(rules: HPAScalingRules, policies: () => HPAScalingPolicy[]): HPAScalingRules {
  rules.selectPolicy ??= 'Max';
  rules.policies ??= policies();
  return rules;
}
