import { versionInfo } from '../../../base/version.ts';
import { file, optionalText, section, strings, textPairs, type ValuesOf } from '../flag.ts';
import { isMetricLabel } from './metric-labels.ts';
import type { Problems, Spelling } from './problems.ts';

export const metrics = section('Metrics', {
  disabledMetrics: strings('disabled-metrics', 'supported', {
    help: 'Metrics to leave out, by their full names. Goes before --show-hidden-metrics-for-version.',
  }),
  allowMetricLabels: textPairs('allow-metric-labels', 'supported', {
    help: 'Values of a label that are shown as they are, any other as "unexpected": metric,label=value,…. Repeatable.',
  }),
  allowMetricLabelsManifest: file('allow-metric-labels-manifest', 'supported', {
    help: 'The same from a YAML file, a map of metric,label to values. Not read when --allow-metric-labels is given.',
  }),
  showHiddenMetricsForVersion: optionalText('show-hidden-metrics-for-version', 'supported', {
    help:
      'Show metrics that are hidden because they are deprecated. The value is the previous ' +
      '<major>.<minor> version.',
  }),
});

export type MetricOptions = ValuesOf<typeof metrics.flags>;

export function metricProblems(
  { showHiddenMetricsForVersion, allowMetricLabels }: MetricOptions,
  spelled: Spelling,
): Problems {
  const { major, minor } = versionInfo();
  const previous = `${major}.${Number(minor) - 1}`;
  return [
    showHiddenMetricsForVersion !== undefined &&
      showHiddenMetricsForVersion !== previous &&
      `${spelled('show-hidden-metrics-for-version')} must be omitted or have the value '${previous}'. Only the ` +
        'previous minor version is allowed',
    [...allowMetricLabels.keys()].some((key) => !isMetricLabel(key)) &&
      `${spelled('allow-metric-labels')} must have a list of kv pair with format ` +
        `\`metricName,labelName=labelValue, labelValue,...\``,
  ];
}
