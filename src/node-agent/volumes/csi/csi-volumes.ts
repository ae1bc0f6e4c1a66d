/**
 * Volumes of CSI drivers: attached, staged once for the node, published for each pod, and the same in reverse.
 *
 * 1. A volume that must be attached is in use for the node's status, and its VolumeAttachment says that it is attached.
 * 2. What belongs to it is written to disk, so that another process can take it away.
 * 3. NodeStageVolume, by drivers that can, once for all pods of the node.
 * 4. NodePublishVolume; again with each sync where the driver asks for that.
 * 5. The group of the pod, unless the driver sets it.
 *
 * One operation at a time for each volume. What is repeated after a failure, or by another process, the interface has
 * drivers take as done.
 * @see {@link https://github.com/container-storage-interface/spec/blob/master/spec.md | Container Storage Interface}
 */
import { mkdir, rm, rmdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Pod, SecretReference } from '../../../api/gen/types/core-v1.ts';
import type { CSIDriver } from '../../../api/gen/types/storage-v1.ts';
import type { VolumeObserver } from '../../metrics/volume-metrics.ts';
import type { ApiObjects } from '../../pods/api-objects.ts';
import { runtimeErrorText } from '../../runtime/container-runtime.ts';
import { KeyedLock } from '../keyed-lock.ts';
import { mountsBelow, unmount } from '../mounts.ts';
import { setOwnership } from '../ownership.ts';
import type { PodTokens } from '../projected/pod-tokens.ts';
import { fsGroupOf, type VolumeRequest } from '../volume-kind.ts';
import { VolumeError, type VolumeOperation, type MountedVolume } from '../volumes.ts';
import type { Attachments } from './attachments.ts';
import { type Abilities, capabilityOf, ephemeralProblem, groupSetter, seLinuxContext } from './capability.ts';
import type { CsiCalls, CsiDrivers } from './csi-drivers.ts';
import { CsiPaths, readVolumeData, writeVolumeData } from './csi-paths.ts';
import { attachmentName, csiSource, type CsiSource, uniqueName } from './csi-source.ts';
import { ensureExpanded } from './expand.ts';
import { type CsiFigures, figuresOf } from './usage.ts';
import type { VolumeCapability } from './gen/csi.ts';
import { volumeContext } from './volume-context.ts';

export interface CsiVolumesOptions {
  readonly drivers: Pick<CsiDrivers, 'get'>;
  readonly attachments: Attachments;
  readonly objects: ApiObjects;
  readonly tokens: PodTokens;
  readonly rootDirectory: string;
  readonly nodeName: string;
  /** Whether the kernel labels files. */
  readonly hasSeLinux: boolean;
  readonly observer?: Pick<VolumeObserver, 'measured'> | undefined;
  /** Of the volume: Normal FileSystemResizeSuccessful … */
  readonly event: (pod: Pod, type: 'Normal' | 'Warning', reason: string, message: string) => void;
}

/** What a volume is opened with. */
interface Opening {
  readonly request: VolumeRequest;
  readonly source: CsiSource;
  readonly driver: CSIDriver | undefined;
  readonly calls: CsiCalls;
  readonly abilities: Abilities;
  readonly capability: VolumeCapability;
  readonly publishContext: Readonly<Record<string, string>>;
}

export class CsiVolumes {
  readonly #options: CsiVolumesOptions;
  readonly paths: CsiPaths;
  readonly #lock = new KeyedLock();
  /** By unique name: what this process has staged. */
  readonly #staged = new Set<string>();
  /** By target: what this process has published. */
  readonly #published = new Set<string>();

  constructor(options: CsiVolumesOptions) {
    this.#options = options;
    this.paths = new CsiPaths(options.rootDirectory);
  }

  /** Volumes that are there from before are in use. */
  async start(): Promise<void> {
    const { attachments } = this.#options;
    for (const { directory } of await this.paths.published()) {
      const data = await readVolumeData(directory).catch(() => undefined);
      if (data?.attachmentID !== undefined) attachments.known([{ driver: data.driverName, handle: data.volumeHandle }]);
    }
  }

  async setUp(request: VolumeRequest): Promise<MountedVolume> {
    const source = csiSource(request)!;
    const { objects, attachments } = this.#options;
    const driver = await objects.csiDriver(source.driver, request.signal);
    const target = this.#targetOf(request, source);
    const mounted: MountedVolume = { path: source.isBlock ? linkOf(request) : target, isReadOnly: source.isReadOnly };
    const isPublished = this.#published.has(target);
    const mustAttach = !source.isEphemeral && driver?.spec.attachRequired !== false;
    // What is published goes on without the API server.
    if (isPublished && driver?.spec.requiresRepublish !== true) {
      await this.#expand(request, source, target);
      return mounted;
    }
    const problem = source.isEphemeral ? ephemeralProblem(source.driver, driver) : undefined;
    if (problem !== undefined)
      throw new VolumeError(`kubernetes.io/csi: mounter.SetUpAt failed to check volume lifecycle mode: ${problem}`);
    const publishContext = mustAttach ? await attachments.attached(source, request.signal) : {};
    await this.#lock.run(uniqueName(source), async () => {
      request.signal.throwIfAborted();
      const opening = await this.#open(request, source, driver, publishContext);
      await this.#writeData(request, source, mustAttach);
      if (canStage(source, opening.abilities)) await this.#stage(opening);
      await this.#publish(opening, target);
      if (source.isBlock) await this.#link(request, target);
      else if (!isPublished) await setGroup(opening, target);
      this.#published.add(target);
    });
    await this.#expand(request, source, target);
    return mounted;
  }

  /** Takes all CSI volumes of a pod away. Done again, it goes on with what is left. */
  async tearDown(uid: string): Promise<void> {
    for (const { directory } of await this.paths.published(uid)) {
      const data = await readVolumeData(directory);
      if (data === undefined) continue;
      const { driverName: driver, volumeHandle: handle, specVolID: name, volumeLifecycleMode } = data;
      const isBlock = directory.includes('/plugins/');
      const identity = { driver, handle, name, isBlock };
      await this.#lock.run(uniqueName(identity), async () => {
        await this.#unpublish(identity, uid, directory);
        if (volumeLifecycleMode === 'Persistent' && !(await this.#isUsedElsewhere(identity, uid))) {
          await this.#unstage(identity);
          await this.#options.attachments.release(identity);
        }
        await rm(directory, { recursive: true, force: true });
      });
    }
  }

  /** As its driver says; undefined where it does not. @param directory of the volume in that of its pod */
  async usage(directory: string): Promise<CsiFigures | undefined> {
    const data = await readVolumeData(directory);
    if (data === undefined) return undefined;
    const { driverName: driver, volumeHandle: volumeId, specVolID: name, volumeLifecycleMode } = data;
    const { calls, abilities } = this.#options.drivers.get(driver);
    if (!(await abilities()).has('GET_VOLUME_STATS')) return undefined;
    const staged = this.paths.stagingTarget({ driver, handle: volumeId, name, isBlock: false });
    const begunAt = performance.now();
    const { usage = [] } = await calls.nodeGetVolumeStats({
      volumeId,
      volumePath: `${directory}/mount`,
      stagingTargetPath: volumeLifecycleMode === 'Persistent' ? staged : '',
    });
    this.#options.observer?.measured(driver, (performance.now() - begunAt) / 1000);
    return figuresOf(usage);
  }

  #targetOf({ path: directory, pod }: VolumeRequest, { isBlock, name }: CsiSource): string {
    return isBlock ? this.paths.blockTarget(name, pod.metadata.uid ?? '') : `${directory}/mount`;
  }

  async #open(
    { pod, ...request }: VolumeRequest,
    source: CsiSource,
    driver: CSIDriver | undefined,
    publishContext: Readonly<Record<string, string>>,
  ): Promise<Opening> {
    const { hasSeLinux } = this.#options;
    const client = this.#client(
      source.driver,
      source.isEphemeral
        ? 'mounter.SetUpAt failed to get CSI client'
        : 'attacher.MountDevice failed to create newCsiDriverClient',
      source.isEphemeral ? 'SetUp' : 'MountDevice',
    );
    const abilities = await client.abilities();
    const group = groupSetter(pod, source, driver, abilities) === 'driver' ? fsGroupOf(pod) : undefined;
    const context = seLinuxContext(pod, source, driver, hasSeLinux);
    const capability = capabilityOf(source, { abilities, group, context });
    return {
      request: { pod, ...request },
      source,
      driver,
      calls: client.calls,
      abilities,
      capability,
      publishContext,
    };
  }

  #client(driver: string, what: string, operation: VolumeOperation) {
    try {
      return this.#options.drivers.get(driver);
    } catch (error) {
      throw new VolumeError(`kubernetes.io/csi: ${what}: ${(error as Error).message}`, { operation });
    }
  }

  #writeData({ path: directory, stateDirectory }: VolumeRequest, source: CsiSource, isAttached: boolean) {
    const { nodeName } = this.#options;
    return writeVolumeData(source.isBlock ? stateDirectory : directory, {
      driverName: source.driver,
      volumeHandle: source.handle,
      volumeLifecycleMode: source.isEphemeral ? 'Ephemeral' : 'Persistent',
      specVolID: source.name,
      nodeName,
      ...(isAttached ? { attachmentID: attachmentName(source, nodeName) } : {}),
    });
  }

  async #stage({ request, source, calls, capability, publishContext }: Opening): Promise<void> {
    if (this.#staged.has(uniqueName(source))) return;
    const stagingTargetPath = this.paths.stagingTarget(source);
    const secrets = await this.#secrets(source.stageSecret, 'NodeStageSecretRef', request.signal);
    await mkdir(stagingTargetPath, { recursive: true, mode: 0o750 });
    try {
      await calls.nodeStageVolume(
        {
          volumeId: source.handle,
          publishContext,
          stagingTargetPath,
          volumeCapability: capability,
          secrets,
          volumeContext: source.attributes,
        },
        { signal: request.signal },
      );
    } catch (error) {
      const operation = source.isBlock ? 'SetUpDevice' : 'MountDevice';
      throw new VolumeError(runtimeErrorText(error), { operation, cause: error });
    }
    this.#staged.add(uniqueName(source));
  }

  async #publish(opening: Opening, targetPath: string): Promise<void> {
    const { request, source, driver, calls, abilities, capability, publishContext } = opening;
    const { pod, signal } = request;
    const secrets = await this.#secrets(source.publishSecret, 'NodePublishSecretRef', signal);
    const context = await volumeContext(pod, source, driver, this.#options.tokens);
    await mkdir(path.dirname(targetPath), { recursive: true, mode: 0o750 });
    try {
      await calls.nodePublishVolume(
        {
          volumeId: source.handle,
          publishContext,
          stagingTargetPath: canStage(source, abilities) ? this.paths.stagingTarget(source) : '',
          targetPath,
          volumeCapability: capability,
          readonly: source.isReadOnly,
          secrets,
          volumeContext: context,
        },
        { signal },
      );
    } catch (error) {
      const operation = source.isBlock ? 'MapPodDevice' : 'SetUp';
      throw new VolumeError(runtimeErrorText(error), { operation, cause: error });
    }
  }

  async #secrets(
    reference: SecretReference | undefined,
    which: string,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, string>>> {
    if (reference === undefined) return {};
    const { namespace = '', name = '' } = reference;
    const secret = await this.#options.objects.secret(namespace, name, signal);
    if (secret === undefined)
      throw new VolumeError(`fetching ${which} ${namespace}/${name} failed: secrets "${name}" not found`);
    const entries = Object.entries(secret.data ?? {});
    return Object.fromEntries(entries.map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]));
  }

  /** The devices of a pod are found in its directory. */
  async #link(request: VolumeRequest, target: string): Promise<void> {
    const link = linkOf(request);
    await mkdir(path.dirname(link), { recursive: true, mode: 0o750 });
    await rm(link, { force: true });
    await symlink(target, link);
  }

  async #expand(request: VolumeRequest, source: CsiSource, target: string): Promise<void> {
    if (source.isEphemeral || request.claim === undefined) return;
    const { drivers, objects, event } = this.#options;
    await ensureExpanded(request, source, {
      client: () => drivers.get(source.driver),
      objects,
      paths: { target, staging: this.paths.stagingTarget(source) },
      secrets: () => this.#secrets(source.expandSecret, 'NodeExpandSecretRef', request.signal),
      event: (type, reason, message) => event(request.pod, type, reason, message),
    });
  }

  async #unpublish(identity: Identity, uid: string, directory: string): Promise<void> {
    const { driver, handle, isBlock, name } = identity;
    const targetPath = isBlock ? this.paths.blockTarget(name, uid) : `${directory}/mount`;
    const { calls } = this.#client(driver, 'Unmounter.TearDownAt failed to get CSI client', 'SetUp');
    await calls.nodeUnpublishVolume({ volumeId: handle, targetPath });
    this.#published.delete(targetPath);
    // A driver that says so and leaves its mount behind does not keep the pod.
    for (const point of await mountsBelow(targetPath)) await unmount(point);
    await rm(targetPath, { force: true, recursive: true });
    if (isBlock) await rmdir(path.dirname(targetPath)).catch(() => undefined);
  }

  async #unstage(identity: Identity): Promise<void> {
    const { driver, handle, isBlock } = identity;
    const stagingTargetPath = this.paths.stagingTarget(identity);
    const client = this.#client(driver, 'attacher.UnmountDevice failed to create newCsiDriverClient', 'MountDevice');
    if ((await client.abilities()).has('STAGE_UNSTAGE_VOLUME'))
      await client.calls.nodeUnstageVolume({ volumeId: handle, stagingTargetPath });
    this.#staged.delete(uniqueName(identity));
    for (const point of await mountsBelow(stagingTargetPath)) await unmount(point);
    await rm(isBlock ? stagingTargetPath : this.paths.staging(identity), { recursive: true, force: true });
  }

  async #isUsedElsewhere({ driver, handle }: Identity, uid: string): Promise<boolean> {
    for (const other of await this.paths.published()) {
      if (other.uid === uid) continue;
      const data = await readVolumeData(other.directory).catch(() => undefined);
      if (data?.driverName === driver && data.volumeHandle === handle) return true;
    }
    return false;
  }
}

type Identity = Pick<CsiSource, 'driver' | 'handle' | 'name' | 'isBlock'>;

const canStage = ({ isEphemeral }: CsiSource, abilities: Abilities): boolean =>
  !isEphemeral && abilities.has('STAGE_UNSTAGE_VOLUME');

/** `pods/<uid>/volumeDevices/kubernetes.io~csi/<name>` */
const linkOf = ({ path: directory }: VolumeRequest): string => directory.replace('/volumes/', '/volumeDevices/');

async function setGroup({ request, source, driver, abilities }: Opening, target: string): Promise<void> {
  const { pod } = request;
  if (groupSetter(pod, source, driver, abilities) !== 'agent') return;
  const onlyOnMismatch = pod.spec.securityContext?.fsGroupChangePolicy === 'OnRootMismatch';
  try {
    await setOwnership(target, { group: fsGroupOf(pod)!, onlyOnMismatch });
  } catch (error) {
    throw new VolumeError(`applyFSGroup failed for vol ${source.handle}: ${(error as Error).message}`);
  }
}
