import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../api/gen/types/core-v1.ts';
import { memoryExchange } from '../../../test/support/memory-exchange.ts';
import { runtimeOf } from '../server/testing/served-node.ts';
import { createPodMetrics } from './pod-metrics.ts';
import { countRequests, requestPath } from './request-metrics.ts';
import { observedRuntime, operationOf } from './runtime-metrics.ts';

const linesOf = async (registry: Registry): Promise<string[]> => (await registry.metrics()).split('\n');

describe('Metrics of calls of the runtime', () => {
  test.each([
    ['runPodSandbox', 'run_podsandbox'],
    ['podSandboxStatus', 'podsandbox_status'],
    ['listPodSandbox', 'list_podsandbox'],
    ['createContainer', 'create_container'],
    ['execSync', 'exec_sync'],
    ['imageFsInfo', 'image_fs_info'],
    ['updateContainerResources', 'update_container'],
  ])('The call %s is shown as %s', (method, operation) => {
    expect(operationOf(method)).toBe(operation);
  });

  test('Calls are counted with their time and errors, and say which pods and containers were started', async () => {
    const registry = new Registry();
    let now = 0;
    const calls = {
      runPodSandbox: () => ((now += 200), Promise.resolve({ podSandboxId: 's' })),
      startContainer: () => Promise.resolve({}),
    };
    const runtime = observedRuntime(runtimeOf(calls), registry, () => now);
    await runtime.runPodSandbox({ runtimeHandler: 'runc' });
    await runtime.startContainer({});
    await expect(runtime.stopContainer({})).rejects.toThrow();
    const lines = await linesOf(registry);
    for (const line of [
      'kubelet_runtime_operations_total{operation_type="run_podsandbox"} 1',
      'kubelet_runtime_operations_duration_seconds_sum{operation_type="run_podsandbox"} 0.2',
      'kubelet_runtime_operations_errors_total{operation_type="stop_container"} 1',
      'kubelet_started_pods_total 1',
      'kubelet_started_pods_errors_total 0',
      'kubelet_started_containers_total{container_type="container"} 1',
      'kubelet_run_podsandbox_duration_seconds_count{runtime_handler="runc"} 1',
    ])
      expect(lines).toContain(line);
    expect(lines.join('\n')).not.toContain('errors_total{operation_type="run_podsandbox"}');
  });
});

describe('Metrics of pods', () => {
  const pod = {
    metadata: { uid: 'u', creationTimestamp: '1970-01-01T00:00:01Z' },
    spec: { containers: [{}, {}], ephemeralContainers: [{}] },
    status: {},
  } as unknown as Pod;

  test('They tell what the node runs, and how long pods took to start', async () => {
    const registry = new Registry();
    let now = 3000;
    const observer = createPodMetrics({
      registry,
      nodeName: 'n',
      isCgroupV2: true,
      nowMs: () => now,
      pods: () => [pod],
      runtimePods: () => [
        {
          uid: 'u',
          name: 'p',
          namespace: 'd',
          sandboxes: [{ id: 's' }],
          containers: [{ sandboxId: 's', status: { state: 'CONTAINER_RUNNING' } }],
        },
      ],
    });
    observer.seen(pod);
    now = 5000;
    for (let times = 0; times < 2; times++) observer.published(pod, { phase: 'Running' } as PodStatus);
    observer.refused('OutOfcpu');
    observer.listed(0.02, undefined);
    observer.worked('sync', 0.1);
    const lines = await linesOf(registry);
    for (const line of [
      'kubelet_node_name{node="n"} 1',
      'kubelet_cgroup_version 2',
      'kubelet_running_pods 1',
      'kubelet_running_containers{container_state="running"} 1',
      'kubelet_desired_pods{static=""} 1',
      'kubelet_active_pods{static="true"} 0',
      'kubelet_managed_ephemeral_containers 1',
      'kubelet_containers_per_pod_count_sum 2',
      'kubelet_pod_start_duration_seconds_sum 2',
      'kubelet_pod_start_total_duration_seconds_sum 4',
      'kubelet_pod_start_total_duration_seconds_count 1',
      'kubelet_admission_rejections_total{reason="OutOfcpu"} 1',
      'kubelet_pleg_relist_duration_seconds_count 1',
      'kubelet_pleg_relist_interval_seconds_count 0',
      'kubelet_pleg_last_seen_seconds 5',
      'kubelet_pod_worker_duration_seconds_count{operation_type="sync"} 1',
    ])
      expect(lines).toContain(line);
  });
});

describe('Metrics of requests to a node', () => {
  test.each([
    ['/exec/n/p/c?command=x', 'exec'],
    ['/metrics/cadvisor', 'metrics/cadvisor'],
    ['/pods/', 'pods'],
    ['/made-up/by/a/caller', 'other'],
    ['/metrics/made-up', 'other'],
  ])('The path %s is shown as %s', (target, path) => {
    expect(requestPath(target)).toBe(path);
  });

  test('Requests are counted also when they fail, and wait no more then', async () => {
    const registry = new Registry();
    const handle = countRequests(
      () => Promise.reject(new Error('no')),
      registry,
      () => 0,
    );
    await expect(handle(memoryExchange({ method: 'GET', target: '/exec/n/p/c' }))).rejects.toThrow('no');
    const labels = 'long_running="true",method="GET",path="exec",server_type="readwrite"';
    const lines = await linesOf(registry);
    expect(lines).toContain(`kubelet_http_requests_total{${labels}} 1`);
    expect(lines).toContain(`kubelet_http_inflight_requests{${labels}} 0`);
    expect(lines).toContain(`kubelet_http_requests_duration_seconds_count{${labels}} 1`);
  });
});
