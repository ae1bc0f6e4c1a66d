/** @see {@link https://kubernetes.io/docs/reference/instrumentation/metrics/ | Kubernetes metrics reference} */
import { Counter, Gauge } from 'prom-client';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { perRegistry } from '../shared/per-registry.ts';
import { pluginOf } from '../shared/attachable-volumes.ts';
import type { ForceReason } from './sync.ts';
import type { VolumeUse } from './wanted-volumes.ts';

/** Names of volumes, one for each node. */
export interface VolumeCounts {
  readonly desired: () => Iterable<string>;
  readonly actual: () => Iterable<string>;
  readonly uses: () => Iterable<VolumeUse>;
}

export const attachMetrics = perRegistry((registry) => new AttachMetrics(registry));

export class AttachMetrics {
  readonly #forced: Counter<'reason'>;
  #counts: VolumeCounts | undefined;

  constructor(registry: MetricRegistry) {
    const registers = [registry];
    this.#forced = new Counter({
      name: 'attach_detach_controller_attachdetach_controller_forced_detaches',
      help: 'Volumes that were detached although the node had not said that it does not use them, by reason.',
      labelNames: ['reason'],
      registers,
    });
    for (const reason of ['timeout', 'out-of-service']) this.#forced.inc({ reason }, 0);
    const volumes: Gauge<'plugin_name' | 'state'> = new Gauge({
      name: 'attachdetach_controller_total_volumes',
      help: 'Volumes that are to be attached and that are attached, by plugin.',
      labelNames: ['plugin_name', 'state'],
      registers,
      collect: () => {
        volumes.reset();
        for (const name of this.#counts?.desired() ?? [])
          volumes.inc({ plugin_name: pluginOf(name), state: 'desired_state_of_world' });
        for (const name of this.#counts?.actual() ?? [])
          volumes.inc({ plugin_name: pluginOf(name), state: 'actual_state_of_world' });
      },
    });
    const inUse: Gauge<'node' | 'volume_plugin'> = new Gauge({
      name: 'storage_count_attachable_volumes_in_use',
      help: 'Volumes that pods have and that have to be attached, by node and plugin.',
      labelNames: ['node', 'volume_plugin'],
      registers,
      collect: () => {
        inUse.reset();
        for (const { node, name, pods } of this.#counts?.uses() ?? [])
          inUse.inc({ node, volume_plugin: pluginOf(name) }, pods);
      },
    });
  }

  /** Whose volumes are counted from now on. */
  count(counts: VolumeCounts | undefined): void {
    this.#counts = counts;
  }

  forced(reason: ForceReason): void {
    this.#forced.inc({ reason });
  }
}
