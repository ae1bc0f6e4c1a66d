/** `metric,label` with the values that may be shown, as `--allow-metric-labels` and its manifest have them. */
import type { AllowedLabels } from '../../../server/metrics/metric-registry.ts';

export const isMetricLabel = (key: string): boolean => /^[a-zA-Z_:][a-zA-Z0-9_:]*,[a-zA-Z_][a-zA-Z0-9_]*$/.test(key);

/** @param lists values with commas between them, by `metric,label` */
export function readAllowedLabels(lists: ReadonlyMap<string, string>): AllowedLabels {
  const allowed = new Map<string, Map<string, ReadonlySet<string>>>();
  for (const [key, values] of lists) {
    const [metric = '', label = ''] = key.split(',');
    const labels = allowed.get(metric) ?? new Map<string, ReadonlySet<string>>();
    allowed.set(metric, labels.set(label, new Set(values.split(','))));
  }
  return allowed;
}
