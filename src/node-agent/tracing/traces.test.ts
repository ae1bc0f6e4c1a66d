import { describe, expect, test } from 'vitest';
import { memoryExchange } from '../../../test/support/memory-exchange.ts';
import type { Span } from '../../base/span.ts';
import type { RootSpan, Tracer } from '../../server/tracing/tracer.ts';
import { podOf } from '../pod-lifecycle/testing/states.ts';
import { simulateNode } from '../pods/testing/simulated-node.ts';
import { runtimeOf } from '../server/testing/served-node.ts';
import { tracedRuntime, tracePods, traceRequests } from './traces.ts';

/** Notes spans as `parent > name`, and how they came out. */
function noting(isSampled = true) {
  const spans: string[] = [];
  const roots: RootSpan[] = [];
  const spanOf = (name: string): Span => {
    spans.push(name);
    const below = (child: string): Span => spanOf(`${name} > ${child}`);
    return {
      traceparent: '',
      auditId: '',
      isOpen: true,
      child: below,
      call: below,
      set: (attributes) => void spans.push(`${name}: ${JSON.stringify(attributes)}`),
      fail: (error) => void spans.push(`${name} failed: ${error instanceof Error ? error.message : String(error)}`),
      end: () => undefined,
    };
  };
  const tracer: Tracer = {
    begin(root) {
      roots.push(root);
      return isSampled ? spanOf(root.name) : undefined;
    },
    close: () => Promise.resolve(),
  };
  return { tracer, spans, roots };
}

describe('Traces of a node', () => {
  test('Calls of the runtime are below the pod that they are for', async () => {
    const { tracer, spans, roots } = noting();
    const runtime = tracedRuntime(runtimeOf({ runPodSandbox: () => Promise.resolve({ podSandboxId: 's' }) }));
    const pod = podOf({});
    await tracePods(tracer)('sync', pod, () => runtime.runPodSandbox({}));
    await expect(tracePods(tracer)('kill', pod, () => runtime.stopPodSandbox({}))).rejects.toThrow();
    await runtime.runPodSandbox({});
    const failed = 'method StopPodSandbox not implemented';
    expect(spans).toEqual([
      'syncPod',
      'syncPod > runtime.v1.RuntimeService/RunPodSandbox',
      'syncTerminatingPod',
      'syncTerminatingPod > runtime.v1.RuntimeService/StopPodSandbox',
      `syncTerminatingPod > runtime.v1.RuntimeService/StopPodSandbox failed: ${failed}`,
      `syncTerminatingPod failed: ${failed}`,
    ]);
    expect(roots[0]!.attributes).toMatchObject({ 'k8s.pod.uid': 'uid-1', 'k8s.pod.update_type': 'sync' });
  });

  test('What is not sampled is done without spans', async () => {
    const { tracer, spans } = noting(false);
    const runtime = tracedRuntime(runtimeOf({ runPodSandbox: () => Promise.resolve({ podSandboxId: 's' }) }));
    expect(await tracePods(tracer)('sync', podOf({}), () => runtime.runPodSandbox({}))).toEqual({ podSandboxId: 's' });
    expect(spans).toEqual([]);
  });

  test('A look at a pod is a span', async () => {
    const { tracer, roots } = noting();
    const node = await simulateNode({ trace: tracePods(tracer) });
    node.workers.set({ ...podOf({ main: ['a'] }), status: {} });
    await node.settle();
    node.workers.remove('uid-1');
    await node.settle();
    const operations = new Set(roots.map(({ name }) => name));
    expect([...operations]).toEqual(['syncPod', 'syncTerminatingPod']);
  });

  test.each([
    { name: 'is answered', status: 200, spans: ['/exec', '/exec: {"http.status_code":200}'] },
    {
      name: 'fails',
      status: 500,
      spans: ['/exec', '/exec: {"http.status_code":500}', '/exec failed: HTTP status 500'],
    },
  ])('A request that $name is a span without what its path names', async ({ status, spans: expected }) => {
    const { tracer, spans, roots } = noting();
    const handle = traceRequests(() => Promise.resolve({ status, headers: [] }) as never, tracer);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await handle(
      memoryExchange({ method: 'GET', target: '/exec/secret/p/c', headers: [['traceparent', traceparent]] }),
    );
    expect(spans).toEqual(expected);
    expect(roots[0]!.traceparent).toBe(traceparent);
  });
});
