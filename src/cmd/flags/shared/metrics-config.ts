/** What the metrics flags and the file they name say of what `/metrics` shows. */
import type { MetricSettings } from '../../../server/metrics/metric-registry.ts';
import { parseYaml } from '../../../machinery/json/yaml.ts';
import { isMetricLabel, readAllowedLabels } from './metric-labels.ts';
import type { MetricOptions } from './metrics.ts';
import { readFlagFile } from '../../read-file.ts';
import { UserError } from '../../user-error.ts';

export async function readMetricsConfig({
  disabledMetrics,
  allowMetricLabels,
  allowMetricLabelsManifest,
  showHiddenMetricsForVersion,
}: MetricOptions): Promise<MetricSettings> {
  // The flag goes before the file, which is then not read.
  const lists = allowMetricLabels.size > 0 ? allowMetricLabels : await readManifest(allowMetricLabelsManifest);
  return {
    disabled: disabledMetrics,
    showHidden: showHiddenMetricsForVersion !== undefined,
    allowedLabels: readAllowedLabels(lists),
  };
}

/** @NOTE differs from upstream: there a file that cannot be read is logged, and every value is shown. */
async function readManifest(path: string | undefined): Promise<ReadonlyMap<string, string>> {
  const text = await readFlagFile('allow-metric-labels-manifest', path);
  if (text === undefined) return new Map();
  const problem =
    `--allow-metric-labels-manifest: ${path} is not a map of metricName,labelName to ` + 'labelValue,labelValue,...';
  let value: unknown;
  try {
    const parsed = parseYaml(text);
    if (parsed.problems.length > 0) throw new Error(parsed.problems.join(', '));
    ({ value } = parsed);
  } catch (error) {
    throw new UserError(`${problem}: ${(error as Error).message}`);
  }
  const entries = Object.entries((value ?? {}) as object);
  if (typeof value !== 'object' || entries.some(([key, list]) => typeof list !== 'string' || !isMetricLabel(key)))
    throw new UserError(problem);
  return new Map(entries as [string, string][]);
}
