/** What the volumes of the node use, for `/stats/summary` and for metrics. */
import type { Registry } from 'prom-client';
import { systemClock } from '../../base/clock.ts';
import type { NodeAgentSettings } from '../../node-agent/config/settings.ts';
import type { VolumeObserver } from '../../node-agent/metrics/volume-metrics.ts';
import { showVolumeStats } from '../../node-agent/metrics/volume-stats-metrics.ts';
import { runtimeUid, type ServedPods } from '../../node-agent/server/served-pods.ts';
import { VolumeFigures } from '../../node-agent/server/stats/volume-stats.ts';

export interface VolumeFiguresParts {
  readonly registry: Registry;
  readonly observer: Pick<VolumeObserver, 'measured'>;
}

export function createVolumeFigures(
  { config, rootDir }: NodeAgentSettings,
  served: ServedPods,
  { registry, observer }: VolumeFiguresParts,
): VolumeFigures {
  const figures = new VolumeFigures({
    rootDir,
    periodMs: config.volumeStatsAggPeriod,
    clock: systemClock,
    csiUsage: (directory) => served.csiUsage?.(directory) ?? Promise.resolve(undefined),
    volumeOfClaim: (namespace, claim) => served.volumeOfClaim?.(namespace, claim) ?? Promise.resolve(undefined),
    observer,
  });
  showVolumeStats(registry, async () => {
    const time = new Date().toISOString();
    const claiming = served
      .pods()
      .filter(({ spec }) => spec.volumes?.some((volume) => volume.persistentVolumeClaim ?? volume.ephemeral));
    return (await Promise.all(claiming.map((pod) => figures.of(pod, runtimeUid(pod), time)))).flat();
  });
  return figures;
}
