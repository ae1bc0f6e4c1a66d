/** Counts the calls of the container runtime, and what they mean for pods and containers. */
import type { Registry } from 'prom-client';
import { SeriesCounter, type CounterSeries } from '../../server/metrics/series-counter.ts';
import { SeriesHistogram, type HistogramSeries } from '../../server/metrics/series-histogram.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import type { Methods } from '../runtime/gen/cri.ts';

/** Each two and a half times the one before. */
const callBuckets = Array.from({ length: 14 }, (_, index) => 0.005 * 2.5 ** index);
const sandboxBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** `list_podsandbox`: as upstream names them. */
export const operationOf = (method: string): string =>
  method === 'updateContainerResources'
    ? 'update_container'
    : method
        .replace('PodSandbox', 'Podsandbox')
        .replace(/^podSandbox/, 'podsandbox')
        .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

interface Counted {
  readonly total: CounterSeries;
  readonly seconds: HistogramSeries;
  readonly errors: () => CounterSeries;
}

/** @param nowMs of a clock that never goes back */
export function observedRuntime(
  runtime: ContainerRuntime,
  registry: Registry,
  nowMs: () => number = () => performance.now(),
): ContainerRuntime {
  const total = new SeriesCounter({
    name: 'kubelet_runtime_operations_total',
    help: 'Calls of the container runtime.',
    registry,
  });
  const errors = new SeriesCounter({
    name: 'kubelet_runtime_operations_errors_total',
    help: 'Calls of the container runtime that failed.',
    registry,
  });
  const seconds = new SeriesHistogram({
    name: 'kubelet_runtime_operations_duration_seconds',
    help: 'How long calls of the container runtime took.',
    registry,
    buckets: callBuckets,
  });
  const meaning = createMeaning(registry);
  const byMethod = new Map<keyof Methods, Counted>();
  const countedOf = (method: keyof Methods): Counted => {
    let counted = byMethod.get(method);
    if (counted === undefined) {
      const labels = { operation_type: operationOf(method) };
      counted = { total: total.series(labels), seconds: seconds.series(labels), errors: () => errors.series(labels) };
      byMethod.set(method, counted);
    }
    return counted;
  };
  const observe = (method: keyof Methods) => {
    const call = runtime[method] as (request: object, options?: object) => Promise<object>;
    return async (request: object, options?: object): Promise<object> => {
      const counted = countedOf(method);
      const begunAt = nowMs();
      counted.total.inc();
      let isError = true;
      try {
        const answer = await call(request, options);
        isError = false;
        return answer;
      } finally {
        const took = (nowMs() - begunAt) / 1000;
        counted.seconds.observe(took);
        if (isError) counted.errors().inc();
        meaning(method, request, took, isError);
      }
    };
  };
  const observed = new Map<keyof Methods, unknown>();
  return new Proxy(runtime, {
    get(_, method: keyof Methods) {
      if (typeof runtime[method] !== 'function') return runtime[method];
      if (!observed.has(method)) observed.set(method, observe(method));
      return observed.get(method);
    },
  });
}

/** What calls mean: a sandbox is a pod that starts. */
function createMeaning(registry: Registry) {
  const counter = (name: string, help: string): SeriesCounter => new SeriesCounter({ name, help, registry });
  const pods = counter('kubelet_started_pods_total', 'Pods that were started.').series({});
  const podErrors = counter('kubelet_started_pods_errors_total', 'Pods that could not be started.').series({});
  const containers = counter('kubelet_started_containers_total', 'Containers that were started.');
  const sandboxErrors = counter('kubelet_run_podsandbox_errors_total', 'Sandboxes that could not be made.');
  const sandboxSeconds = new SeriesHistogram({
    name: 'kubelet_run_podsandbox_duration_seconds',
    help: 'How long sandboxes took to be made.',
    registry,
    buckets: sandboxBuckets,
  });
  return (method: keyof Methods, request: object, seconds: number, isError: boolean): void => {
    if (method === 'startContainer' && !isError) containers.series({ container_type: 'container' }).inc();
    if (method !== 'runPodSandbox') return;
    const labels = { runtime_handler: (request as Methods['runPodSandbox'][0]).runtimeHandler ?? '' };
    pods.inc();
    sandboxSeconds.series(labels).observe(seconds);
    if (!isError) return;
    podErrors.inc();
    sandboxErrors.series(labels).inc();
  };
}
