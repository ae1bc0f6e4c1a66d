import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../gen/types/autoscaling-v2.ts';
import { ageCell } from '../../table/cells.ts';

const unknown = '<unknown>';
const maxShown = 2;

export const autoscalerCells = (
  { metadata, spec, status }: HorizontalPodAutoscaler,
  now: Date,
): (string | number)[] => [
  metadata.name ?? '',
  `${spec.scaleTargetRef.kind ?? ''}/${spec.scaleTargetRef.name ?? ''}`,
  targetsCell(spec.metrics ?? [], status.currentMetrics ?? []),
  spec.minReplicas === undefined ? '<unset>' : `${spec.minReplicas}`,
  spec.maxReplicas ?? 0,
  status.currentReplicas ?? 0,
  ageCell(metadata.creationTimestamp, now),
];

function targetsCell(metrics: readonly MetricSpec[], current: readonly MetricStatus[]): string {
  if (metrics.length === 0) return '<none>';
  const shown = metrics
    .slice(0, maxShown)
    .map((metric, i) => metricText(metric, current[i]))
    .join(', ');
  return metrics.length > maxShown ? `${shown} + ${metrics.length - maxShown} more...` : shown;
}

function metricText(metric: MetricSpec, status: MetricStatus | undefined): string {
  if (metric.type === 'External' && metric.external !== undefined)
    return amountText(metric.external.target, status?.external?.current);
  if (metric.type === 'Pods' && metric.pods !== undefined)
    return `${status?.pods?.current.averageValue ?? unknown}/${metric.pods.target.averageValue ?? '0'}`;
  if (metric.type === 'Object' && metric.object !== undefined)
    return amountText(metric.object.target, status?.object?.current);
  if (metric.type === 'Resource' && metric.resource !== undefined)
    return `${metric.resource.name ?? ''}: ${resourceText(metric.resource.target, status?.resource?.current)}`;
  if (metric.type === 'ContainerResource' && metric.containerResource !== undefined) {
    const { name = '', target } = metric.containerResource;
    return `${name}: ${resourceText(target, status?.containerResource?.current)}`;
  }
  return '<unknown type>';
}

const amountText = ({ value, averageValue }: MetricTarget, current: MetricValueStatus | undefined): string =>
  averageValue === undefined
    ? `${current?.value ?? unknown}/${value ?? '0'}`
    : `${current?.averageValue ?? unknown}/${averageValue} (avg)`;

function resourceText(
  { averageValue, averageUtilization }: MetricTarget,
  current: MetricValueStatus | undefined,
): string {
  if (averageValue !== undefined) return `${current?.averageValue ?? unknown}/${averageValue}`;
  return `${percent(current?.averageUtilization, unknown)}/${percent(averageUtilization, '<auto>')}`;
}

const percent = (value: number | undefined, absent: string): string => (value === undefined ? absent : `${value}%`);
