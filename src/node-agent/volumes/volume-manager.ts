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
import type { VolumeObserver } from '../metrics/volume-metrics.ts';
import { allContainersOf } from '../pods/kill-pod.ts';
import type { PodEvents } from '../pods/pod-events.ts';
import { podDirectory } from '../pods/pods-config.ts';
import { claimedVolume, type ClaimedVolume, claimNameOf } from './claim/claim.ts';
import { configMap } from './config-map/config-map.ts';
import { downwardApi } from './downward-api/downward-api.ts';
import { emptyDir } from './empty-dir/empty-dir.ts';
import { Attachments } from './csi/attachments.ts';
import type { CsiDrivers } from './csi/csi-drivers.ts';
import { CsiVolumes } from './csi/csi-volumes.ts';
import { FlexVolumes } from './flex-volume/flex-volume.ts';
import { hostPath } from './host-path/host-path.ts';
import { csiPlugin } from './csi/csi-paths.ts';
import { imageVolume } from './image/image.ts';
import { local } from './local/local.ts';
import { mountsBelow, unmount } from './mounts.ts';
import { nfs } from './nfs/nfs.ts';
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
  readonly nodeName: string;
  readonly csiDrivers: Pick<CsiDrivers, 'get'>;
  /** Whether the kernel labels files. */
  readonly hasSeLinux: boolean;
  /** A program that is called in place of `mount` where a server is mounted; empty for none. */
  readonly mounterPath: string;
  /** Whether images can be volumes. */
  readonly hasImageVolumes: boolean;
  /** Whether projected volumes can have certificates of ClusterTrustBundles. */
  readonly hasTrustBundles: boolean;
  /** Of FlexVolume drivers. */
  readonly volumePluginDirectory: string;
  readonly observer?: VolumeObserver | undefined;
}

/** How long a sync waits for volumes. */
const waitMs = 123_000;
const firstRetryMs = 500;
const maxRetryMs = 122_000;

export function createVolumeManager(options: VolumeManagerOptions): Volumes {
  const { rootDirectory, objects, events, clock, nowMs, hostIPs, observer } = options;
  const tokens = new PodTokens(objects, options);
  const csi = new CsiVolumes({
    ...options,
    drivers: options.csiDrivers,
    attachments: new Attachments({ ...options, api: objects }),
    tokens,
    event: (pod, type, reason, message) => events.ofPod(pod, type, reason, message),
  });
  /** By the member of a volume, or of a persistent volume, that says its kind. */
  const flex = new FlexVolumes({ pluginDirectory: options.volumePluginDirectory, rootDirectory });
  const kinds = new Map<string, VolumeKind>([
    ['emptyDir', emptyDir],
    ['hostPath', hostPath],
    ['configMap', configMap],
    ['secret', secret],
    ['downwardAPI', downwardApi],
    ['projected', projected(tokens, options.hasTrustBundles)],
    ['local', local],
    ['nfs', nfs(options.mounterPath)],
    ...(options.hasImageVolumes ? [['image', imageVolume] as const] : []),
    ['csi', { plugin: csiPlugin, setUp: (request) => csi.setUp(request), tearDown: (uid) => csi.tearDown(uid) }],
  ]);
  const setUpOne = async (pod: Pod, source: VolumeSource, setUp: PodSetUp): Promise<MountedVolume> => {
    const { name, volume, claimed, directory } = source;
    const flexSource = claimed?.persistentVolume.spec.flexVolume ?? volume.flexVolume;
    const chosen = flexSource === undefined ? kindOf(kinds, source) : flex.kindOf(flexSource);
    const told = { uid: pod.metadata.uid ?? '', volume: name, plugin: shownPlugin(chosen, source) };
    observer?.wanted(told);
    const triedAt = clock.now();
    const { podIPs, signal } = setUp;
    const podFolder = podDirectory(rootDirectory, pod.metadata.uid ?? '');
    const path = `${podFolder}/volumes/${chosen.plugin}/${directory}`;
    const stateDirectory = `${podFolder}/plugins/${chosen.plugin}/${directory}`;
    const common = { stateDirectory, pod, volume, path, objects, podIPs, hostIPs: hostIPs(), nowMs: nowMs(), signal };
    const { persistentVolume: persistent, claim, isReadOnly } = claimed ?? {};
    try {
      const mounted = await chosen.setUp({ ...common, persistent, claim, isReadOnly });
      observer?.mounted(told, (clock.now() - triedAt) / 1000, (clock.now() - setUp.begunAt) / 1000);
      return claimed?.isReadOnly === true ? { ...mounted, isReadOnly: true } : mounted;
    } catch (error) {
      if (!signal.aborted) observer?.failed(told, (clock.now() - triedAt) / 1000);
      throw error;
    }
  };
  return {
    start: () => csi.start(),
    csiUsage: (directory) => csi.usage(directory),
    async setUp(pod, setUp) {
      const used = await volumeSources(pod, setUp, options);
      const byName = new Map<string, MountedVolume>();
      const begunAt = clock.now();
      for (let tries = 0; ; tries++) {
        const missing = used.filter(({ name }) => !byName.has(name));
        const results = await Promise.allSettled(missing.map((source) => setUpOne(pod, source, { ...setUp, begunAt })));
        setUp.signal.throwIfAborted();
        for (const [index, result] of results.entries()) {
          const { name, directory } = missing[index]!;
          if (result.status === 'fulfilled') byName.set(name, result.value);
          else tellFailure(pod, directory, result.reason, events);
        }
        if (byName.size === used.length) return { byName, groups: used.flatMap(groupsOf) } satisfies MountedVolumes;
        if (clock.now() - begunAt >= waitMs) throw timedOut(pod, used, byName, events);
        await sleep(clock, Math.min(maxRetryMs, firstRetryMs * 2 ** tries), setUp.signal);
      }
    },
    async tearDown(uid) {
      tokens.forget(uid);
      const begunAt = clock.now();
      let isError = true;
      try {
        await takeAway(uid, podDirectory(rootDirectory, uid), [...kinds.values(), flex]);
        isError = false;
      } finally {
        observer?.tornDown(uid, (clock.now() - begunAt) / 1000, isError);
      }
    },
  };
}

async function takeAway(uid: string, directory: string, kinds: Iterable<Pick<VolumeKind, 'tearDown'>>): Promise<void> {
  for (const point of await mountsBelow(`${directory}/volume-subpaths`)) await unmount(point);
  for (const kind of kinds) await kind.tearDown?.(uid);
  for (const point of await mountsBelow(directory)) await unmount(point);
  if ((await mountsBelow(directory)).length > 0) throw new Error(`something is still mounted below ${directory}`);
  for (const part of ['volumes', 'volumeDevices', 'volume-subpaths'])
    await rm(`${directory}/${part}`, { recursive: true, force: true });
}

interface PodSetUp extends VolumeSetUp {
  /** When the volumes of the pod were first tried, by the clock. */
  readonly begunAt: number;
}

/** As metrics name it: drivers of CSI have a name of their own. */
function shownPlugin({ plugin }: VolumeKind, { volume, claimed }: VolumeSource): string {
  const name = plugin.replace('~', '/');
  const driver = claimed?.persistentVolume.spec.csi?.driver ?? volume.csi?.driver;
  return driver === undefined ? name : `${name}:${driver}`;
}

/** A volume that is a device is mapped, and not mounted. */
function tellFailure(pod: Pod, name: string, error: unknown, events: PodEvents): void {
  const operation = error instanceof VolumeError ? error.operation : 'SetUp';
  const isDevice = operation === 'SetUpDevice' || operation === 'MapPodDevice';
  const [reason, verb] = isDevice ? ['FailedMapVolume', 'MapVolume'] : ['FailedMount', 'MountVolume'];
  events.ofPod(pod, 'Warning', reason!, `${verb}.${operation} failed for volume "${name}" : ${textOf(error)}`);
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function usedVolumes(pod: Pod): Volume[] {
  const mounted = new Set(
    allContainersOf(pod).flatMap(({ spec }) =>
      [...(spec.volumeMounts ?? []), ...(spec.volumeDevices ?? [])].map(({ name = '' }) => name),
    ),
  );
  return (pod.spec.volumes ?? []).filter(({ name = '' }) => mounted.has(name));
}

interface VolumeSource {
  readonly name: string;
  /** With the source of what stands behind its claim. */
  readonly volume: Volume;
  readonly claimed: ClaimedVolume | undefined;
  /** Name of its directory. */
  readonly directory: string;
}

/** What the volumes of a pod are. One that cannot be found out holds up the pod until its next sync. */
async function volumeSources(
  pod: Pod,
  { signal }: VolumeSetUp,
  { objects, events }: VolumeManagerOptions,
): Promise<readonly VolumeSource[]> {
  const failed = new Map<string, string>();
  const sources = await Promise.all(
    usedVolumes(pod).map(async (volume): Promise<VolumeSource[]> => {
      const { name = '' } = volume;
      if (claimNameOf(pod, volume) === undefined) return [{ name, volume, claimed: undefined, directory: name }];
      try {
        const claimed = await claimedVolume(pod, volume, objects, signal);
        const { metadata, spec } = claimed.persistentVolume;
        const { hostPath: path, nfs: share } = spec;
        const source = {
          ...(path === undefined ? {} : { hostPath: path }),
          ...(share === undefined ? {} : { nfs: share }),
        };
        return [{ name, volume: { name, ...source }, claimed, directory: metadata.name ?? name }];
      } catch (error) {
        if (!(error instanceof VolumeError)) throw error;
        failed.set(name, error.message);
        return [];
      }
    }),
  );
  if (failed.size === 0) return sources.flat();
  const names = [...failed.keys()].join(' ');
  const text =
    `unmounted volumes=[${names}], unattached volumes=[], failed to process volumes=[${names}]: ` +
    [...failed.values()].join(', ');
  events.ofPod(pod, 'Warning', 'FailedMount', `Unable to attach or mount volumes: ${text}`);
  throw new Error(text);
}

function kindOf(kinds: ReadonlyMap<string, VolumeKind>, { name, volume, claimed }: VolumeSource): VolumeKind {
  const { local: path, csi: driver } = claimed?.persistentVolume.spec ?? {};
  const members = {
    ...volume,
    ...(path === undefined ? {} : { local: path }),
    ...(driver === undefined ? {} : { csi: driver }),
  };
  const [, kind] = [...kinds].find(([member]) => Object.hasOwn(members, member)) ?? [];
  if (kind !== undefined) return kind;
  // A volume without a source is an empty directory.
  if (claimed === undefined && Object.keys(volume).length <= 1) return emptyDir;
  throw new VolumeError(`no volume plugin matched for volume "${name}"`);
}

/** Groups that a persistent volume asks for. */
function groupsOf({ claimed }: VolumeSource): readonly number[] {
  const group = claimed?.persistentVolume.metadata.annotations?.['pv.beta.kubernetes.io/gid'];
  return group !== undefined && /^\d+$/.test(group) ? [Number(group)] : [];
}

function timedOut(
  pod: Pod,
  used: readonly VolumeSource[],
  ready: ReadonlyMap<string, MountedVolume>,
  events: PodEvents,
): Error {
  const missing = used.map(({ name }) => name).filter((name) => !ready.has(name));
  const text =
    `unmounted volumes=[${missing.join(' ')}], unattached volumes=[], failed to process volumes=[]: ` +
    'timed out waiting for the condition';
  events.ofPod(pod, 'Warning', 'FailedMount', `Unable to attach or mount volumes: ${text}`);
  return new Error(text);
}
