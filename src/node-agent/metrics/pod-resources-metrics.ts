/** Calls at the socket that tells the resources of pods, by upstream's names. */
import { Counter, type Registry } from 'prom-client';

const calls = ['list', 'get', 'get_allocatable'] as const;

export type PodResourcesCall = (typeof calls)[number];

/** Told of each call and how it came out. */
export type PodResourcesObserver = (call: PodResourcesCall, isError: boolean) => void;

/** Of the interface. */
const version = { server_api_version: 'v1' };

export function createPodResourcesMetrics(registry: Registry): PodResourcesObserver {
  const counter = (name: string, help: string): Counter<'server_api_version'> =>
    new Counter({
      name: `kubelet_pod_resources_endpoint_${name}`,
      help,
      labelNames: ['server_api_version'],
      registers: [registry],
    });
  const total = counter('requests_total', 'Calls that ask for the resources of pods.');
  const counters = Object.fromEntries(
    calls.map((call) => [
      call,
      {
        requests: counter(`requests_${call}`, `Calls of ${call}.`),
        errors: counter(`errors_${call}`, `Calls of ${call} that failed.`),
      },
    ]),
  ) as Record<PodResourcesCall, Record<'requests' | 'errors', Counter<'server_api_version'>>>;
  return (call, isError) => {
    total.inc(version);
    counters[call].requests.inc(version);
    if (isError) counters[call].errors.inc(version);
  };
}
