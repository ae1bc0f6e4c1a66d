import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Registry } from 'prom-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { defaultConfig, type NodeAgentConfig } from '../config/config.ts';
import { createAllocations } from '../resources/allocations.ts';
import { containerOf, machineOf, podWith } from '../resources/cpu/testing/topologies.ts';
import { openManagers } from '../resources/open-managers.ts';
import { createCpuMetrics } from './cpu-metrics.ts';
import { createDeviceMetrics } from './device-metrics.ts';
import { countPinning } from './pinning.ts';
import { createPodResourcesMetrics } from './pod-resources-metrics.ts';
import { createTopologyMetrics } from './topology-metrics.ts';

const gi = 2 ** 30;
const numaNodes = [0, 1].map((id) => ({ id, memoryBytes: 10 * gi, hugePages: [], distances: [] }));
const machine = { topology: machineOf({ sockets: 2, coresPerNuma: 4 }), numaNodes, memoryBytes: 20 * gi };
const staticCpus: Partial<NodeAgentConfig> = { cpuManagerPolicy: 'static', systemReserved: { cpu: '500m' } };

async function open(changes: Partial<NodeAgentConfig>) {
  const rootDir = await mkdtemp(path.join(tmpdir(), 'orch-states-'));
  onTestFinished(() => rm(rootDir, { recursive: true }));
  const registry = new Registry();
  const topology = createTopologyMetrics(registry);
  const cpus = createCpuMetrics(registry, () => managers.cpus.figures);
  const managers = await openManagers({
    config: { ...defaultConfig, ...changes },
    gates: {},
    rootDir,
    machine,
    observers: {
      cpus: { ...cpus, aligned: () => topology.aligned('physical_cpu', 'container') },
      memory: countPinning(registry, 'memory', 'memory'),
    },
    log: silentLogger,
  });
  return {
    allocations: createAllocations(managers, [], undefined, topology),
    lines: async () => (await registry.metrics()).split('\n'),
  };
}

const guaranteed = (uid: string, cpu: string) => podWith(uid, [containerOf('main', { cpu })]);

describe('Metrics of what containers have for themselves', () => {
  test('CPUs of containers, those that are left, and refusals are counted', async () => {
    const { allocations, lines } = await open(staticCpus);
    await allocations.admit(guaranteed('a', '3'));
    await allocations.admit(guaranteed('b', '8'));
    allocations.release('b');
    await allocations.admit(guaranteed('c', '500m'));
    for (const line of [
      'kubelet_cpu_manager_pinning_requests_total 2',
      'kubelet_cpu_manager_pinning_errors_total 1',
      'kubelet_cpu_manager_exclusive_cpu_allocation_count 3',
      'kubelet_cpu_manager_shared_pool_size_millicores 4000',
      'kubelet_topology_manager_admission_requests_total 3',
      'kubelet_topology_manager_admission_errors_total 1',
      'kubelet_topology_manager_admission_duration_ms_count 3',
    ])
      expect(await lines()).toContain(line);
    allocations.release('a');
    expect(await lines()).toContain('kubelet_cpu_manager_exclusive_cpu_allocation_count 0');
  });

  test('Without a policy nothing is counted', async () => {
    const { allocations, lines } = await open({});
    await allocations.admit(guaranteed('a', '3'));
    for (const name of ['pinning_requests_total', 'exclusive_cpu_allocation_count', 'shared_pool_size_millicores'])
      expect(await lines()).toContain(`kubelet_cpu_manager_${name} 0`);
    expect(await lines()).toContain('kubelet_memory_manager_pinning_requests_total 0');
  });

  test('Memory of Guaranteed pods is counted, and that which is not there', async () => {
    const { allocations, lines } = await open({
      memoryManagerPolicy: 'Static',
      evictionHard: {},
      systemReserved: { memory: '1Gi' },
      reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }],
    });
    const amounts = (memory: string) => ({ cpu: '1', memory });
    await allocations.admit(podWith('a', [containerOf('main', amounts('2Gi'))]));
    await allocations.admit(podWith('b', [containerOf('main', amounts('100Gi'))]));
    expect(await lines()).toContain('kubelet_memory_manager_pinning_requests_total 2');
    expect(await lines()).toContain('kubelet_memory_manager_pinning_errors_total 1');
  });

  test.each([
    { scope: 'container', count: 2 },
    { scope: 'pod', count: 1 },
  ])('Resources of one NUMA node are counted for each $scope', async ({ scope, count }) => {
    const { allocations, lines } = await open({
      ...staticCpus,
      topologyManagerPolicy: 'single-numa-node',
      topologyManagerScope: scope,
    });
    await allocations.admit(podWith('b', [containerOf('x', { cpu: '1' }), containerOf('y', { cpu: '1' })]));
    expect(await lines()).toContain(
      `kubelet_container_aligned_compute_resources_count{boundary="numa_node",scope="${scope}"} ${count}`,
    );
  });

  test('Whole cores are counted where a container can have nothing else', async () => {
    const cpuManagerPolicyOptions = { 'full-pcpus-only': 'true' };
    const { allocations, lines } = await open({ ...staticCpus, cpuManagerPolicyOptions });
    await allocations.admit(guaranteed('a', '2'));
    expect(await lines()).toContain(
      'kubelet_container_aligned_compute_resources_count{boundary="physical_cpu",scope="container"} 1',
    );
  });
});

describe('Metrics of devices', () => {
  test('Registrations and the time of plugins are counted by resource', async () => {
    const registry = new Registry();
    const observer = createDeviceMetrics(registry);
    observer.registered('example.com/gpu');
    observer.allocated('example.com/gpu', 0.2);
    const lines = (await registry.metrics()).split('\n');
    expect(lines).toContain('kubelet_device_plugin_registration_total{resource_name="example.com/gpu"} 1');
    expect(lines).toContain('kubelet_device_plugin_alloc_duration_seconds_sum{resource_name="example.com/gpu"} 0.2');
  });

  test('Calls for the resources of pods are counted, and those that fail', async () => {
    const registry = new Registry();
    const observer = createPodResourcesMetrics(registry);
    observer('list', false);
    observer('get', true);
    const lines = (await registry.metrics()).split('\n');
    const version = '{server_api_version="v1"}';
    expect(lines).toContain(`kubelet_pod_resources_endpoint_requests_total${version} 2`);
    expect(lines).toContain(`kubelet_pod_resources_endpoint_requests_list${version} 1`);
    expect(lines).toContain(`kubelet_pod_resources_endpoint_errors_get${version} 1`);
  });
});
