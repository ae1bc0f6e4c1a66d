import { expect, test } from 'vitest';
import { allMetrics, MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { AttachMetrics } from './metrics.ts';

test('Volumes that are wanted, attached and in use are shown by plugin, under the names of the reference', async () => {
  const registry = new MetricRegistry(allMetrics);
  const [disk, other] = ['kubernetes.io/csi/disk.example.com^1', 'kubernetes.io/csi/disk.example.com^2'];
  new AttachMetrics(registry).count({
    desired: () => [disk, other],
    actual: () => [disk],
    uses: () => [
      { node: 'a', name: disk, pods: 2 },
      { node: 'a', name: other, pods: 1 },
      { node: 'b', name: 'kubernetes.io/iscsi/10.0.0.1:iqn:0', pods: 1 },
    ],
  });
  const lines = (await registry.metrics()).split('\n').filter((line) => /^(storage|attachdetach)_/.test(line));
  expect(lines).toEqual([
    'attachdetach_controller_total_volumes{plugin_name="kubernetes.io/csi:disk.example.com",' +
      'state="desired_state_of_world"} 2',
    'attachdetach_controller_total_volumes{plugin_name="kubernetes.io/csi:disk.example.com",' +
      'state="actual_state_of_world"} 1',
    'storage_count_attachable_volumes_in_use{node="a",volume_plugin="kubernetes.io/csi:disk.example.com"} 3',
    'storage_count_attachable_volumes_in_use{node="b",volume_plugin="kubernetes.io/iscsi"} 1',
  ]);
});
