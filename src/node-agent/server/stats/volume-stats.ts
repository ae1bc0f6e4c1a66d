/** What the volumes of pods use: measured again when that is older than the configured time. */
import { readdir, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import type { Clock } from '../../../base/clock.ts';
import { sizeBelow } from '../../eviction/pod-usages.ts';
import type { VolumeObserver } from '../../metrics/volume-metrics.ts';
import type { Volumes } from '../../volumes/volumes.ts';
import type { VolumeStats } from './summary.ts';

export interface VolumeStatsOptions {
  /** Of the agent. */
  readonly rootDir: string;
  /** How long figures count, in milliseconds; negative: volumes are not measured. */
  readonly periodMs: number;
  readonly clock: Clock;
  /** What the driver of a CSI volume says of its use; undefined where it does not. */
  readonly csiUsage?: Volumes['csiUsage'];
  readonly observer?: Pick<VolumeObserver, 'measured'> | undefined;
  /** The name of the persistent volume behind a claim; undefined where there is none. */
  readonly volumeOfClaim: (namespace: string, claim: string) => Promise<string | undefined>;
}

/** Those that are a part of the node, whose use would be that of the node. */
const unmeasured = new Set(['kubernetes.io~host-path']);

type Figures = Omit<VolumeStats, 'time' | 'name' | 'pvcRef'>;

interface Measured {
  readonly at: number;
  readonly volumes: Promise<readonly VolumeStats[]>;
}

export class VolumeFigures {
  readonly #options: VolumeStatsOptions;
  readonly #measured = new Map<string, Measured>();

  constructor(options: VolumeStatsOptions) {
    this.#options = options;
  }

  /** @param uid by which the directory of the pod is named */
  of(pod: Pod, uid: string, time: string): Promise<readonly VolumeStats[]> {
    const { clock, periodMs } = this.#options;
    if (periodMs < 0) return Promise.resolve([]);
    const known = this.#measured.get(uid);
    if (known !== undefined && clock.now() - known.at < periodMs) return known.volumes;
    const volumes = this.#measure(pod, uid, time);
    this.#measured.set(uid, { at: clock.now(), volumes });
    return volumes;
  }

  /** Forgets all pods but these. */
  keepOnly(uids: ReadonlySet<string>): void {
    for (const uid of this.#measured.keys()) if (!uids.has(uid)) this.#measured.delete(uid);
  }

  async #measure(pod: Pod, uid: string, time: string): Promise<readonly VolumeStats[]> {
    const folder = path.join(this.#options.rootDir, 'pods', uid, 'volumes');
    const names = await this.#namesOf(pod);
    const found: VolumeStats[] = [];
    for (const plugin of await readdir(folder).catch(() => []))
      for (const directory of unmeasured.has(plugin) ? [] : await readdir(path.join(folder, plugin)).catch(() => [])) {
        const name = names.get(directory);
        const at = path.join(folder, plugin, directory);
        const figures = name === undefined ? undefined : await this.#figuresOf(plugin, at);
        if (figures !== undefined) found.push({ time, ...figures, ...name! });
      }
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** A driver of CSI mounts below the directory of the volume, and may say itself what is used. */
  async #figuresOf(plugin: string, at: string): Promise<Figures | undefined> {
    if (!plugin.endsWith('~csi')) return this.#timed(at);
    return (await this.#options.csiUsage?.(at).catch(() => undefined)) ?? this.#timed(`${at}/mount`);
  }

  async #timed(at: string): Promise<Figures | undefined> {
    const begunAt = performance.now();
    const measured = await measure(at);
    if (measured === undefined) return undefined;
    this.#options.observer?.measured(measured.source, (performance.now() - begunAt) / 1000);
    return measured.figures;
  }

  /** By the name of the directory, which is that of the volume, or of the persistent one. */
  async #namesOf({ metadata, spec }: Pod): Promise<ReadonlyMap<string, Pick<VolumeStats, 'name' | 'pvcRef'>>> {
    const { namespace = '' } = metadata;
    const named = await Promise.all(
      (spec.volumes ?? []).map(async ({ name = '', persistentVolumeClaim, ephemeral }) => {
        const claim =
          persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${metadata.name}-${name}`);
        if (claim === undefined) return [name, { name }] as const;
        const volume = await this.#options.volumeOfClaim(namespace, claim).catch(() => undefined);
        return [volume ?? '', { name, pvcRef: { name: claim, namespace } }] as const;
      }),
    );
    return new Map(named);
  }
}

/** Of a file system of its own, or of the files of a directory. */
async function measure(folder: string): Promise<{ source: 'statfs' | 'du'; figures: Figures } | undefined> {
  try {
    const [own, above, fs] = await Promise.all([stat(folder), stat(path.dirname(folder)), statfs(folder)]);
    const isMount = own.dev !== above.dev;
    const used = isMount
      ? { bytes: (fs.blocks - fs.bfree) * fs.bsize, inodes: fs.files - fs.ffree }
      : await sizeBelow(folder);
    const figures = {
      availableBytes: fs.bavail * fs.bsize,
      capacityBytes: fs.blocks * fs.bsize,
      usedBytes: used.bytes,
      inodesFree: fs.ffree,
      inodes: fs.files,
      inodesUsed: used.inodes,
    };
    return { source: isMount ? 'statfs' : 'du', figures };
  } catch {
    return undefined;
  }
}
