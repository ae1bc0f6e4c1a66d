/**
 * Spans of the agent, under upstream's names: one for each look at a pod, one for each request to the port, and below
 * them one for each call of the container runtime. Nothing of it is made where nothing is traced.
 * @see {@link https://kep.k8s.io/2831 | KEP-2831: Kubelet Tracing}
 */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { currentSpan, inNewSpan } from '../../base/span.ts';
import type { ApiResponse, Exchange } from '../../server/exchange.ts';
import type { Tracer } from '../../server/tracing/tracer.ts';
import { requestPath } from '../metrics/request-metrics.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import { methods, type Methods } from '../runtime/gen/cri.ts';

type Handle = (exchange: Exchange) => Promise<ApiResponse>;
type Call = (request: object, options?: object) => Promise<object>;

/** Calls that belong to nothing that is traced have no span. */
export function tracedRuntime(runtime: ContainerRuntime): ContainerRuntime {
  const traced = Object.keys(methods).map((name) => {
    const method = name as keyof Methods;
    const [path] = methods[method];
    const attributes = { 'rpc.system': 'grpc', 'rpc.service': path.split('/')[1]!, 'rpc.method': path.split('/')[2]! };
    const call: Call = (request, options) => {
      const own = runtime[method] as Call;
      const span = currentSpan()?.call(path.slice(1), attributes);
      return span === undefined ? own(request, options) : inNewSpan(span, () => own(request, options));
    };
    return [method, call] as const;
  });
  return Object.fromEntries(traced) as unknown as ContainerRuntime;
}

/** Of one pod: that it is brought forward, or ended. */
export type TracePod = <T>(operation: 'sync' | 'kill', pod: Pod, work: () => Promise<T>) => Promise<T>;

const names = { sync: 'syncPod', kill: 'syncTerminatingPod' } as const;

export const tracePods =
  (tracer: Tracer): TracePod =>
  (operation, { metadata: { name = '', namespace = '', uid = '' } }, work) => {
    const span = tracer.begin({
      name: names[operation],
      traceparent: undefined,
      attributes: {
        'k8s.pod.uid': uid,
        'k8s.pod': `${namespace}/${name}`,
        'k8s.pod.name': name,
        'k8s.namespace.name': namespace,
        'k8s.pod.update_type': operation,
      },
    });
    return span === undefined ? work() : inNewSpan(span, work);
  };

/** What callers send is in no name of a span. */
export function traceRequests(handle: Handle, tracer: Tracer): Handle {
  return (exchange) => {
    const path = `/${requestPath(exchange.target)}`;
    const span = tracer.begin({
      name: path,
      traceparent: exchange.header('traceparent'),
      attributes: { 'http.method': exchange.method, 'http.route': path, 'http.scheme': 'https' },
    });
    if (span === undefined) return handle(exchange);
    return inNewSpan(span, async () => {
      const response = await handle(exchange);
      span.set({ 'http.status_code': response.status });
      if (response.status >= 500) span.fail(`HTTP status ${response.status}`);
      return response;
    });
  };
}
