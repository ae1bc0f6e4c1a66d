import { writeFile, mkdir } from 'node:fs/promises';
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { podOf } from '../pod-lifecycle/testing/states.ts';
import { simulateNode } from '../pods/testing/simulated-node.ts';
import type { VolumeStats } from '../server/stats/summary.ts';
import { createVolumeMetrics } from './volume-metrics.ts';
import { showVolumeStats } from './volume-stats-metrics.ts';

const linesOf = async (registry: Registry): Promise<string[]> => (await registry.metrics()).split('\n');

/** A pod with one volume that its container mounts. */
function podWith(volume: object): Pod {
  const pod = podOf({ main: ['a'] });
  const containers = pod.spec.containers!.map((container) => ({
    ...container,
    volumeMounts: [{ name: 'v', mountPath: '/v' }],
  }));
  return { ...pod, spec: { ...pod.spec, containers, volumes: [{ name: 'v', ...volume }] }, status: {} } as Pod;
}

const operation = (name: string, status: string, plugin: string): string =>
  `storage_operation_duration_seconds_count{migrated="false",operation_name="${name}",status="${status}",` +
  `volume_plugin="kubernetes.io/${plugin}"}`;

describe('Metrics of volumes', () => {
  test('A volume is counted when it is set up, once, and when it is taken away', async () => {
    const registry = new Registry();
    const node = await simulateNode({ observers: { volumes: createVolumeMetrics(registry) } });
    const pod = podWith({ emptyDir: {} });
    node.workers.set(pod);
    await node.pass(3);
    const during = await linesOf(registry);
    for (const line of [
      `${operation('volume_mount', 'success', 'empty-dir')} 1`,
      'volume_operation_total_seconds_count{operation_name="overall_volume_mount",' +
        'plugin_name="kubernetes.io/empty-dir"} 1',
      'volume_manager_total_volumes{plugin_name="kubernetes.io/empty-dir",state="desired_state_of_world"} 1',
      'volume_manager_total_volumes{plugin_name="kubernetes.io/empty-dir",state="actual_state_of_world"} 1',
    ])
      expect(during).toContain(line);
    node.workers.remove('uid-1');
    await node.settle();
    const after = await linesOf(registry);
    expect(after).toContain(`${operation('volume_unmount', 'success', 'empty-dir')} 1`);
    expect(after.join('\n')).not.toContain('volume_manager_total_volumes{');
  });

  test('A volume that cannot be set up is wanted, and each try is counted as failed', async () => {
    const registry = new Registry();
    const node = await simulateNode({ observers: { volumes: createVolumeMetrics(registry) } });
    node.workers.set(podWith({ configMap: { name: 'absent' } }));
    await node.until(() => node.events.some((event) => event.includes('FailedMount')));
    const lines = await linesOf(registry);
    expect(lines).toContain(`${operation('volume_mount', 'fail-unknown', 'configmap')} 1`);
    expect(lines.filter((line) => line.startsWith('volume_manager_total_volumes{'))).toEqual([
      'volume_manager_total_volumes{plugin_name="kubernetes.io/configmap",state="desired_state_of_world"} 1',
    ]);
  });

  test('Directories of pods that are gone are counted when they are removed', async () => {
    const registry = new Registry();
    const node = await simulateNode({ observers: { volumes: createVolumeMetrics(registry) } });
    for (const uid of ['gone-1', 'gone-2']) {
      await mkdir(`${node.directory}/root/pods/${uid}/volumes`, { recursive: true });
      await writeFile(`${node.directory}/root/pods/${uid}/volumes/file`, 'x');
    }
    await node.clean();
    expect(await linesOf(registry)).toContain('kubelet_orphan_pod_cleaned_volumes 2');
    await node.clean();
    expect(await linesOf(registry)).toContain('kubelet_orphan_pod_cleaned_volumes 0');
  });

  test('Volumes behind claims show what they use, and are asked for once', async () => {
    const registry = new Registry();
    const figures = { availableBytes: 5, capacityBytes: 9, usedBytes: 4, inodes: 3, inodesFree: 2, inodesUsed: 1 };
    const claimed: VolumeStats = { time: '', name: 'v', ...figures, pvcRef: { name: 'c', namespace: 'd' } };
    let asked = 0;
    let volumes = [claimed, { time: '', name: 'scratch', ...figures }];
    showVolumeStats(registry, () => {
      asked++;
      return Promise.resolve(volumes);
    });
    const samples = async () => (await linesOf(registry)).filter((line) => line.startsWith('kubelet_volume_stats'));
    const labels = '{namespace="d",persistentvolumeclaim="c"}';
    expect(new Set(await samples())).toEqual(
      new Set([
        `kubelet_volume_stats_available_bytes${labels} 5`,
        `kubelet_volume_stats_capacity_bytes${labels} 9`,
        `kubelet_volume_stats_inodes${labels} 3`,
        `kubelet_volume_stats_inodes_free${labels} 2`,
        `kubelet_volume_stats_inodes_used${labels} 1`,
        `kubelet_volume_stats_used_bytes${labels} 4`,
      ]),
    );
    expect(asked).toBe(1);
    volumes = [];
    expect(await samples()).toEqual([]);
  });
});
