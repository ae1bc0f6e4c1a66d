/** Metrics as autoscaling/v1 has them: in annotations, with a flatter structure than v2's. */
import type * as v1 from '../../gen/types/autoscaling-v1.ts';
import type * as v2 from '../../gen/types/autoscaling-v2.ts';

const zero = '0';

/** A member that is there only when `convert` has something to convert. */
const maybe = <A, B>(value: A | undefined, convert: (value: A) => B): B | undefined =>
  value === undefined ? undefined : convert(value);

/** The metric of an object, or of pods. */
const named = ({ name, selector }: v2.MetricIdentifier) => ({ metricName: name, selector });

export const metricToV1 = (metric: v2.MetricSpec): v1.MetricSpec => ({
  type: metric.type as v1.MetricSourceType,
  object: maybe(metric.object, ({ describedObject, metric: identifier, target }) => ({
    target: describedObject,
    ...named(identifier),
    targetValue: target.value ?? zero,
    averageValue: target.averageValue,
  })),
  pods: maybe(metric.pods, ({ metric: identifier, target }) => ({
    ...named(identifier),
    targetAverageValue: target.averageValue ?? zero,
  })),
  resource: maybe(metric.resource, ({ name, target }) => ({
    name,
    targetAverageUtilization: target.averageUtilization,
    targetAverageValue: target.averageValue,
  })),
  containerResource: maybe(metric.containerResource, ({ name, container, target }) => ({
    name,
    targetAverageUtilization: target.averageUtilization,
    targetAverageValue: target.averageValue,
    container,
  })),
  external: maybe(metric.external, ({ metric: { name, selector }, target }) => ({
    metricName: name,
    metricSelector: selector,
    targetValue: target.value,
    targetAverageValue: target.averageValue,
  })),
});

export const metricFromV1 = (metric: v1.MetricSpec): v2.MetricSpec => ({
  type: metric.type,
  object: maybe(metric.object, ({ target, metricName, selector, targetValue, averageValue }) => ({
    describedObject: target,
    metric: { name: metricName, selector },
    target: objectTarget(targetValue, averageValue),
  })),
  pods: maybe(metric.pods, ({ metricName, selector, targetAverageValue = zero }) => ({
    metric: { name: metricName, selector },
    target: { type: 'AverageValue', averageValue: targetAverageValue },
  })),
  resource: maybe(metric.resource, ({ name, ...source }) => ({ name, target: resourceTarget(source) })),
  containerResource: maybe(metric.containerResource, ({ name, container, ...source }) => ({
    name,
    container,
    target: resourceTarget(source),
  })),
  external: maybe(metric.external, ({ metricName, metricSelector, targetValue, targetAverageValue }) => ({
    metric: { name: metricName, selector: metricSelector },
    target: {
      type: targetValue === undefined ? 'AverageValue' : 'Value',
      value: targetValue,
      averageValue: targetAverageValue,
    },
  })),
});

/**
 * v1 cannot leave the value out: beside an average, zero means that there is none.
 *
 * @NOTE differs from upstream: it keeps the zero, which its validation then refuses, so that such an object cannot be
 * written back in v1.
 */
function objectTarget(value = zero, averageValue: string | undefined): v2.MetricTarget {
  if (averageValue === undefined) return { type: 'Value', value };
  return { type: 'AverageValue', value: value === zero ? undefined : value, averageValue };
}

const resourceTarget = ({
  targetAverageUtilization,
  targetAverageValue,
}: v1.ResourceMetricSource): v2.MetricTarget => ({
  type: targetAverageUtilization === undefined ? 'AverageValue' : 'Utilization',
  averageUtilization: targetAverageUtilization,
  averageValue: targetAverageValue,
});

export const metricStatusToV1 = (metric: v2.MetricStatus): v1.MetricStatus => ({
  type: metric.type as v1.MetricSourceType,
  object: maybe(metric.object, ({ describedObject, metric: identifier, current }) => ({
    target: describedObject,
    ...named(identifier),
    currentValue: current.value ?? zero,
    averageValue: current.averageValue,
  })),
  pods: maybe(metric.pods, ({ metric: identifier, current }) => ({
    ...named(identifier),
    currentAverageValue: current.averageValue ?? zero,
  })),
  resource: maybe(metric.resource, ({ name, current }) => ({ name, ...resourceCurrentToV1(current) })),
  containerResource: maybe(metric.containerResource, ({ name, container, current }) => ({
    name,
    ...resourceCurrentToV1(current),
    container,
  })),
  external: maybe(metric.external, ({ metric: { name, selector }, current }) => ({
    metricName: name,
    metricSelector: selector,
    currentValue: current.value ?? zero,
    currentAverageValue: current.averageValue,
  })),
});

const resourceCurrentToV1 = ({
  averageUtilization,
  averageValue = zero,
}: v2.MetricValueStatus): v1.ResourceMetricStatus => ({
  currentAverageUtilization: averageUtilization,
  currentAverageValue: averageValue,
});

export const metricStatusFromV1 = (metric: v1.MetricStatus): v2.MetricStatus => ({
  type: metric.type,
  object: maybe(metric.object, ({ target, metricName, selector, currentValue = zero, averageValue }) => ({
    describedObject: target,
    metric: { name: metricName, selector },
    current: { value: currentValue, averageValue },
  })),
  pods: maybe(metric.pods, ({ metricName, selector, currentAverageValue = zero }) => ({
    metric: { name: metricName, selector },
    current: { averageValue: currentAverageValue },
  })),
  resource: maybe(metric.resource, ({ name, ...status }) => ({ name, current: resourceCurrentFromV1(status) })),
  containerResource: maybe(metric.containerResource, ({ name, container, ...status }) => ({
    name,
    container,
    current: resourceCurrentFromV1(status),
  })),
  external: maybe(metric.external, ({ metricName, metricSelector, currentValue = zero, currentAverageValue }) => ({
    metric: { name: metricName, selector: metricSelector },
    current: { value: currentValue, averageValue: currentAverageValue },
  })),
});

const resourceCurrentFromV1 = ({
  currentAverageUtilization,
  currentAverageValue = zero,
}: v1.ResourceMetricStatus): v2.MetricValueStatus => ({
  averageUtilization: currentAverageUtilization,
  averageValue: currentAverageValue,
});
