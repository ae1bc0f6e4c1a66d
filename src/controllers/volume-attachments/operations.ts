/** Attaches volumes and detaches them, by VolumeAttachments that the drivers act on. */
import type { Node, Pod } from '../../api/gen/types/core-v1.ts';
import type { VolumeAttachment } from '../../api/gen/types/storage-v1.ts';
import { isAlreadyExists, isNotFound } from '../../client/api-error.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { ControllerContext } from '../manager/context.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { attachmentName, driverVolumeNamed } from '../shared/attachable-volumes.ts';
import { type AttachedEntry, type AttachedVolumes, clearFailures, delayRetry } from './attached-volumes.ts';
import { type ForceReason, isInUse, type WantedVolume } from './sync.ts';

/** How long a driver may take. */
const driverTimeoutMs = 2 * 60_000;

export interface OperationParts {
  readonly attachments: MutationCache<VolumeAttachment>;
  readonly attached: AttachedVolumes;
  /** The volume is not on the node any more. */
  onDetached(entry: AttachedEntry): void;
}

export class Operations {
  readonly #context: ControllerContext;
  readonly #parts: OperationParts;

  constructor(context: ControllerContext, parts: OperationParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** @returns when to look again, by the clock, if nothing changes before */
  async attach(entry: AttachedEntry, wanted: WantedVolume): Promise<number | undefined> {
    if (entry.detachingSince !== undefined) return undefined;
    const { attachment } = wanted.volume;
    if (attachment === undefined) {
      this.#succeeded(entry, wanted);
      return undefined;
    }
    try {
      const name = attachmentName(attachment, entry.node);
      const object = this.#parts.attachments.get(name) ?? (await this.#create(name, entry, wanted));
      return object === undefined ? entry.retryAt : this.#look(object, entry, wanted);
    } catch (error) {
      return this.#failed(entry, wanted, (error as Error).message);
    }
  }

  #look({ metadata, status }: VolumeAttachment, entry: AttachedEntry, wanted: WantedVolume): number | undefined {
    const isEnding = metadata.deletionTimestamp !== undefined;
    if (status?.attached === true && !isEnding) {
      this.#succeeded(entry, wanted);
      return undefined;
    }
    const now = this.#context.clock.now();
    if (entry.retryAt > now) return entry.retryAt;
    if (isEnding) return this.#failed(entry, wanted, 'volume attachment is being deleted');
    if (status?.attachError !== undefined) return this.#failed(entry, wanted, status.attachError.message ?? '');
    entry.attachingSince ??= now;
    const timeoutAt = entry.attachingSince + driverTimeoutMs;
    if (now < timeoutAt) return timeoutAt;
    const { driver, handle } = wanted.volume.attachment!;
    const message = `timed out waiting for external-attacher of ${driver} CSI driver to attach volume ${handle}`;
    return this.#failed(entry, wanted, message);
  }

  /** Undefined when it is too early to try again. */
  async #create(name: string, entry: AttachedEntry, { volume }: WantedVolume): Promise<VolumeAttachment | undefined> {
    if (entry.retryAt > this.#context.clock.now()) return undefined;
    const { driver, source } = volume.attachment!;
    const { volumeattachments } = this.#context.client.storage.v1;
    const spec = { attacher: driver, nodeName: entry.node, source };
    const object = await volumeattachments.create({ metadata: { name }, spec }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
      return volumeattachments.get(name);
    });
    this.#parts.attachments.wrote(object);
    return object;
  }

  #succeeded(entry: AttachedEntry, { volume, pods }: WantedVolume): void {
    entry.isAttached = true;
    entry.isReported = true;
    delete entry.attachingSince;
    clearFailures(entry);
    this.#tell(pods, 'Normal', 'SuccessfulAttachVolume', `AttachVolume.Attach succeeded for volume "${volume.title}" `);
  }

  #failed(entry: AttachedEntry, { volume, pods }: WantedVolume, reason: string): number {
    entry.isAttached = false;
    delete entry.attachingSince;
    delayRetry(entry, this.#context.clock.now());
    const message = `AttachVolume.Attach failed for volume "${volume.title}" : ${reason}`;
    this.#tell(pods, 'Warning', 'FailedAttachVolume', message);
    return entry.retryAt;
  }

  #tell(pods: readonly Pod[], type: 'Normal' | 'Warning', reason: string, message: string): void {
    for (const pod of pods) this.#context.events.event(pod, type, reason, message);
  }

  /**
   * The status of the node must not name the volume any more.
   * @returns when to look again, by the clock, if nothing changes before
   */
  async detach(entry: AttachedEntry, force: ForceReason | undefined): Promise<number | undefined> {
    const { client, clock, log } = this.#context;
    const volume = driverVolumeNamed(entry.name);
    try {
      if (force === undefined && isInUse(await this.#freshNode(entry.node), entry.name))
        throw new Error('volume is still in use by node, according to Node status');
      if (volume === undefined) return void this.#parts.onDetached(entry);
      await client.storage.v1.volumeattachments.delete(attachmentName(volume, entry.node));
      entry.isAttached = false;
      entry.detachingSince = clock.now();
      clearFailures(entry);
      return undefined;
    } catch (error) {
      if (volume !== undefined && isNotFound(error)) return void this.#parts.onDetached(entry);
      entry.isAttached = false;
      delayRetry(entry, clock.now());
      log.warn({ volume: entry.name, node: entry.node, err: error }, 'a volume could not be detached');
      return entry.retryAt;
    }
  }

  #freshNode(name: string): Promise<Node | undefined> {
    return this.#context.client.core.v1.nodes.get(name).catch(undefinedWhenGone);
  }

  /** Finds out whether the driver is done. Until its VolumeAttachment is gone the volume is not detached. */
  async settle(entry: AttachedEntry): Promise<void> {
    const name = attachmentName(driverVolumeNamed(entry.name)!, entry.node);
    if (this.#parts.attachments.get(name)?.metadata.deletionTimestamp !== undefined) return;
    // Not known to be ending: the informer is late, it is gone, or it is another one.
    const { volumeattachments } = this.#context.client.storage.v1;
    const object = await volumeattachments.get(name).catch(undefinedWhenGone);
    if (object === undefined) return this.#parts.onDetached(entry);
    if (object.metadata.deletionTimestamp === undefined) delete entry.detachingSince;
  }
}
