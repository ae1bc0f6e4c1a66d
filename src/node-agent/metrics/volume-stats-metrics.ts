/** What the volumes behind claims use, by upstream's names: read when they are asked for. */
import { Gauge, type Registry } from 'prom-client';
import type { VolumeStats } from '../server/stats/summary.ts';

const shown = {
  available_bytes: ['Bytes that are free.', 'availableBytes'],
  capacity_bytes: ['Bytes that the volume has.', 'capacityBytes'],
  used_bytes: ['Bytes that are used.', 'usedBytes'],
  inodes: ['Inodes that the volume has.', 'inodes'],
  inodes_free: ['Inodes that are free.', 'inodesFree'],
  inodes_used: ['Inodes that are used.', 'inodesUsed'],
} as const;

/** @param figures of all volumes; several pods may share one */
export function showVolumeStats(registry: Registry, figures: () => Promise<readonly VolumeStats[]>): void {
  // The figures are the same for all of them, and are asked for once.
  let asked: Promise<readonly VolumeStats[]> | undefined;
  const current = (): Promise<readonly VolumeStats[]> =>
    (asked ??= figures().finally(() => {
      asked = undefined;
    }));
  for (const [name, [help, member]] of Object.entries(shown)) {
    const gauge: Gauge<'namespace' | 'persistentvolumeclaim'> = new Gauge({
      name: `kubelet_volume_stats_${name}`,
      help,
      labelNames: ['namespace', 'persistentvolumeclaim'],
      registers: [registry],
      async collect() {
        const volumes = await current();
        gauge.reset();
        for (const { pvcRef, [member]: value } of volumes)
          if (pvcRef !== undefined)
            gauge.set({ namespace: pvcRef.namespace, persistentvolumeclaim: pvcRef.name }, value);
      },
    });
  }
}
