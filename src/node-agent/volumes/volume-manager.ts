/**
 * Sets the volumes of pods up, and takes them away.
 *
 * A volume that is not there yet is tried again: after half a second, then twice as long each time. Each try that fails
 * is an event. Only volumes that a container mounts are made.
 */
import { rm } from 'node:fs/promises';
import type { Pod, Volume } from '../../api/gen/types/core-v1.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import type { ApiObjects } from '../pods/api-objects.ts';
import { allContainersOf } from '../pods/kill-pod.ts';
import type { PodEvents } from '../pods/pod-events.ts';
import { podDirectory } from '../pods/pods-config.ts';
import { configMap } from './config-map/config-map.ts';
import { downwardApi } from './downward-api/downward-api.ts';
import { emptyDir } from './empty-dir/empty-dir.ts';
import { hostPath } from './host-path/host-path.ts';
import { mountsBelow, unmount } from './mounts.ts';
import { PodTokens } from './projected/pod-tokens.ts';
import { projected } from './projected/projected.ts';
import { secret } from './secret/secret.ts';
import type { VolumeKind } from './volume-kind.ts';
import { type MountedVolume, type MountedVolumes, VolumeError, type Volumes, type VolumeSetUp } from './volumes.ts';

export interface VolumeManagerOptions {
  readonly rootDirectory: string;
  readonly objects: ApiObjects;
  readonly events: PodEvents;
  readonly clock: Clock;
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly hostIPs: () => readonly string[];
}

/** How long a sync waits for volumes. */
const waitMs = 123_000;
const firstRetryMs = 500;
const maxRetryMs = 122_000;

export function createVolumeManager(options: VolumeManagerOptions): Volumes {
  const { rootDirectory, objects, events, clock, nowMs, hostIPs } = options;
  const tokens = new PodTokens(objects, options);
  /** By the member of a volume that says its kind. */
  const kinds = new Map<keyof Volume, VolumeKind>([
    ['emptyDir', emptyDir],
    ['hostPath', hostPath],
    ['configMap', configMap],
    ['secret', secret],
    ['downwardAPI', downwardApi],
    ['projected', projected(tokens)],
  ]);
  const setUpOne = (pod: Pod, volume: Volume, { podIPs, signal }: VolumeSetUp): Promise<MountedVolume> => {
    const [, kind] = [...kinds].find(([member]) => volume[member] !== undefined) ?? [];
    // A volume without a source is an empty directory.
    const chosen = kind ?? (Object.keys(volume).length <= 1 ? emptyDir : undefined);
    if (chosen === undefined) throw new VolumeError(`no volume plugin matched for volume "${volume.name}"`);
    const path = `${podDirectory(rootDirectory, pod.metadata.uid ?? '')}/volumes/${chosen.plugin}/${volume.name}`;
    return chosen.setUp({ pod, volume, path, objects, podIPs, hostIPs: hostIPs(), nowMs: nowMs(), signal });
  };
  return {
    async setUp(pod, setUp) {
      const used = usedVolumes(pod);
      const byName = new Map<string, MountedVolume>();
      const begunAt = clock.now();
      for (let tries = 0; ; tries++) {
        const missing = used.filter(({ name = '' }) => !byName.has(name));
        const results = await Promise.allSettled(missing.map(async (volume) => setUpOne(pod, volume, setUp)));
        setUp.signal.throwIfAborted();
        for (const [index, result] of results.entries()) {
          const { name = '' } = missing[index]!;
          if (result.status === 'fulfilled') byName.set(name, result.value);
          else
            events.ofPod(
              pod,
              'Warning',
              'FailedMount',
              `MountVolume.SetUp failed for volume "${name}" : ${textOf(result.reason)}`,
            );
        }
        if (byName.size === used.length) return { byName, groups: [] } satisfies MountedVolumes;
        if (clock.now() - begunAt >= waitMs) throw timedOut(pod, used, byName, events);
        await sleep(clock, Math.min(maxRetryMs, firstRetryMs * 2 ** tries), setUp.signal);
      }
    },
    async tearDown(uid) {
      tokens.forget(uid);
      const directory = podDirectory(rootDirectory, uid);
      for (const path of await mountsBelow(directory)) await unmount(path);
      if ((await mountsBelow(directory)).length > 0) throw new Error(`something is still mounted below ${directory}`);
      for (const part of ['volumes', 'volume-subpaths'])
        await rm(`${directory}/${part}`, { recursive: true, force: true });
    },
  };
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function usedVolumes(pod: Pod): Volume[] {
  const mounted = new Set(
    allContainersOf(pod).flatMap(({ spec }) => (spec.volumeMounts ?? []).map(({ name = '' }) => name)),
  );
  return (pod.spec.volumes ?? []).filter(({ name = '' }) => mounted.has(name));
}

function timedOut(
  pod: Pod,
  used: readonly Volume[],
  ready: ReadonlyMap<string, MountedVolume>,
  events: PodEvents,
): Error {
  const missing = used.map(({ name = '' }) => name).filter((name) => !ready.has(name));
  const text =
    `unmounted volumes=[${missing.join(' ')}], unattached volumes=[], failed to process volumes=[]: ` +
    'timed out waiting for the condition';
  events.ofPod(pod, 'Warning', 'FailedMount', `Unable to attach or mount volumes: ${text}`);
  return new Error(text);
}
