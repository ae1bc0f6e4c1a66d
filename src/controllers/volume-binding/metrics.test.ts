import { expect, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import { allMetrics, MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { bindingMetrics, endCounts } from './metrics.ts';
import { claimOf, volumeOf } from './testing/objects.ts';

const bound = <T extends PersistentVolume | PersistentVolumeClaim>(object: T): T => ({
  ...object,
  status: { ...object.status, phase: 'Bound' },
});

/** The lines of the metric, without those that describe it. */
async function linesOf(registry: MetricRegistry, prefix: string): Promise<string[]> {
  const text = await registry.metrics();
  return text.split('\n').filter((line) => line.startsWith(prefix));
}

test('Volumes and claims are counted by what they are, as long as the controller runs', async () => {
  const registry = new MetricRegistry(allMetrics);
  const volumes = [
    bound(volumeOf('a', { storageClassName: 'fast', csi: { driver: 'csi.example.com', volumeHandle: 'h' } })),
    volumeOf('b', { storageClassName: 'fast', csi: { driver: 'csi.example.com', volumeHandle: 'i' } }),
    volumeOf('c', { nfs: { server: 's', path: '/' } }),
    volumeOf('d', { hostPath: { path: '/a' }, volumeMode: 'Block' }),
    volumeOf('e', { cephfs: { monitors: ['m'] } } as never),
  ];
  const claims = [
    bound(claimOf({ storageClassName: 'fast', volumeAttributesClassName: 'gold' })),
    claimOf({ storageClassName: 'fast' }),
    claimOf({ storageClassName: 'fast' }),
  ];
  bindingMetrics(registry, { volumes: () => volumes, claims: () => claims });
  expect(await linesOf(registry, 'pv_collector_')).toEqual([
    'pv_collector_total_pv_count{plugin_name="kubernetes.io/csi:csi.example.com",volume_mode="Filesystem"} 2',
    'pv_collector_total_pv_count{plugin_name="kubernetes.io/nfs",volume_mode="Filesystem"} 1',
    'pv_collector_total_pv_count{plugin_name="kubernetes.io/host-path",volume_mode="Block"} 1',
    'pv_collector_total_pv_count{plugin_name="N/A",volume_mode="Filesystem"} 1',
    'pv_collector_bound_pv_count{storage_class="fast"} 1',
    'pv_collector_unbound_pv_count{storage_class="fast"} 1',
    'pv_collector_unbound_pv_count{storage_class=""} 3',
    'pv_collector_bound_pvc_count{namespace="n",storage_class="fast",volume_attributes_class="gold"} 1',
    'pv_collector_unbound_pvc_count{namespace="n",storage_class="fast",volume_attributes_class=""} 2',
  ]);
  endCounts(registry);
  expect(await linesOf(registry, 'pv_collector_')).toEqual([]);
  bindingMetrics(registry, { volumes: () => volumes, claims: () => [] });
  expect(await linesOf(registry, 'pv_collector_bound_pv_count')).toHaveLength(1);
});

test('Default classes that claims get late are counted, and those that could not be set', async () => {
  const registry = new MetricRegistry(allMetrics);
  const { classSet } = bindingMetrics(registry, { volumes: () => [], claims: () => [] });
  await classSet(() => Promise.resolve());
  await expect(classSet(() => Promise.reject(new Error('conflict')))).rejects.toThrow('conflict');
  expect(await linesOf(registry, 'retroactive_')).toEqual([
    'retroactive_storageclass_total 2',
    'retroactive_storageclass_errors_total 1',
  ]);
});
