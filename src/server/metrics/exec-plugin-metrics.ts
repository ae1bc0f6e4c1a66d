/**
 * What the credential plugins of kubeconfig files do. What is returned is the observer of
 * `client/kubeconfig/exec-plugin.ts`; that package is not seen from here.
 */
import type { Registry } from 'prom-client';
import { showValues } from './series.ts';
import { SeriesCounter } from './series-counter.ts';
import { SeriesHistogram } from './series-histogram.ts';

export interface ExecPluginMetrics {
  called(call: { readonly status: string; readonly code: number }): void;
  rotated(ageMs: number): void;
  holds(plugin: string, certificateEndsAt: number | undefined): void;
}

/** Ten minutes to four years, in seconds. */
const ageBuckets = [
  600, 1800, 3600, 14_400, 86_400, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000, 124_416_000,
];

/** @param wallTime milliseconds since 1970 */
export function createExecPluginMetrics(registry: Registry, wallTime: () => number = Date.now): ExecPluginMetrics {
  const calls = new SeriesCounter({
    name: 'rest_client_exec_plugin_call_total',
    help: 'Runs of credential plugins, by exit code and by how they ended.',
    registry,
  });
  const ages = new SeriesHistogram({
    name: 'rest_client_exec_plugin_certificate_rotation_age',
    help: 'Age of the client certificate of a credential plugin when another one came in its place, in seconds.',
    buckets: ageBuckets,
    registry,
  }).series({});
  const ends = new Map<string, number>();
  showValues(
    {
      name: 'rest_client_exec_plugin_ttl_seconds',
      help: 'Seconds until the first client certificate of a credential plugin expires; +Inf where there is none.',
      type: 'gauge',
      registry,
    },
    () => {
      const first = Math.min(...ends.values());
      return [{ labels: {}, value: first === Infinity ? first : (first - wallTime()) / 1000 }];
    },
  );
  return {
    called: ({ status, code }) => calls.series({ call_status: status, code: String(code) }).inc(),
    rotated: (ageMs) => ages.observe(ageMs / 1000),
    holds(plugin, certificateEndsAt) {
      if (certificateEndsAt === undefined) ends.delete(plugin);
      else ends.set(plugin, certificateEndsAt);
    },
  };
}
