/** autoscaling/v1 and v2: v1 has the use of CPU as members of its own, everything else is in annotations. */
import type * as v1 from '../../gen/types/autoscaling-v1.ts';
import type * as v2 from '../../gen/types/autoscaling-v2.ts';
import { createMap } from '../../../machinery/value.ts';
import { cpuMetric } from './defaults.ts';
import {
  behaviorAnnotation,
  behaviorText,
  conditionsAnnotation,
  currentMetricsAnnotation,
  listText,
  metricsAnnotation,
  readBehavior,
  readList,
  roundTripAnnotations,
} from './v1-annotations.ts';
import { metricFromV1, metricStatusFromV1, metricStatusToV1, metricToV1 } from './v1-metrics.ts';

const isCpu = ({ type, resource }: v2.MetricSpec | v2.MetricStatus): boolean =>
  type === 'Resource' && resource?.name === 'cpu';
const cpuTarget = (metric: v2.MetricSpec): number | undefined =>
  isCpu(metric) ? metric.resource!.target.averageUtilization : undefined;
const cpuCurrent = (metric: v2.MetricStatus): number | undefined =>
  isCpu(metric) ? metric.resource!.current.averageUtilization : undefined;

export function autoscalerToV2({ apiVersion: _, ...object }: v1.HorizontalPodAutoscaler): v2.HorizontalPodAutoscaler {
  const {
    metadata,
    spec: { targetCPUUtilizationPercentage: cpu, ...spec },
    status: { currentCPUUtilizationPercentage: current, ...status },
  } = object;
  const { annotations } = metadata;
  const other = readList<v1.MetricSpec>(annotations?.[metricsAnnotation], 'MetricSpec')?.map(metricFromV1) ?? [];
  const metrics = cpu === undefined ? other : [...other, cpuMetric(cpu)];
  const currentMetrics =
    readList<v1.MetricStatus>(annotations?.[currentMetricsAnnotation], 'MetricStatus')?.map(metricStatusFromV1) ??
    currentCpu(current);
  return {
    ...object,
    metadata: { ...metadata, annotations: withoutRoundTrip(annotations) },
    spec: {
      ...spec,
      metrics: metrics.length === 0 ? [cpuMetric()] : metrics,
      behavior: readBehavior(annotations?.[behaviorAnnotation]),
    },
    status: {
      ...status,
      currentMetrics,
      conditions: readList<v2.HorizontalPodAutoscalerCondition>(
        annotations?.[conditionsAnnotation],
        'HorizontalPodAutoscalerCondition',
      ),
    },
  };
}

const currentCpu = (averageUtilization: number | undefined): v2.MetricStatus[] | undefined =>
  averageUtilization === undefined
    ? undefined
    : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization } } }];

export function autoscalerFromV2({ apiVersion: _, ...object }: v2.HorizontalPodAutoscaler): v1.HorizontalPodAutoscaler {
  const {
    metadata,
    spec: { metrics = [], behavior, ...spec },
    status: { currentMetrics = [], conditions = [], ...status },
  } = object;
  const annotations = withoutRoundTrip(metadata.annotations) ?? createMap<string>();
  const other = metrics.filter((metric) => cpuTarget(metric) === undefined);
  if (other.length > 0) annotations[metricsAnnotation] = listText(other.map(metricToV1), 'MetricSpec');
  // The use of CPU is among them as well: its absolute value has no other place.
  if (currentMetrics.length > 0)
    annotations[currentMetricsAnnotation] = listText(currentMetrics.map(metricStatusToV1), 'MetricStatus');
  if (behavior !== undefined) annotations[behaviorAnnotation] = behaviorText(behavior);
  if (conditions.length > 0)
    annotations[conditionsAnnotation] = listText(conditions, 'HorizontalPodAutoscalerCondition');
  const firstCpu = metrics.find(isCpu);
  return {
    ...object,
    metadata: { ...metadata, annotations: Object.keys(annotations).length === 0 ? undefined : annotations },
    spec: { ...spec, targetCPUUtilizationPercentage: firstCpu === undefined ? undefined : cpuTarget(firstCpu) },
    status: {
      ...status,
      currentCPUUtilizationPercentage: currentMetrics.map(cpuCurrent).findLast((value) => value !== undefined),
    },
  };
}

/** A copy without those that stand for members of the other version; undefined when nothing is left. */
function withoutRoundTrip(
  annotations: Readonly<Record<string, string>> | undefined,
): Record<string, string> | undefined {
  const kept = createMap<string>();
  for (const key in annotations) if (!roundTripAnnotations.includes(key)) kept[key] = annotations[key]!;
  return Object.keys(kept).length === 0 ? undefined : kept;
}
