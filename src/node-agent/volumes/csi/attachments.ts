/**
 * Volumes that a controller attaches to this node. The status of the node says which ones are in use, so that none of
 * them is detached, and which ones are attached; the VolumeAttachment of one says what its driver has to know.
 */
import type { VolumeAttachment } from '../../../api/gen/types/storage-v1.ts';
import { type Clock, sleep } from '../../../base/clock.ts';
import { VolumeError } from '../volumes.ts';
import { attachmentName, type CsiSource, uniqueName } from './csi-source.ts';

export interface AttachmentApi {
  volumeAttachment(name: string, signal?: AbortSignal): Promise<VolumeAttachment | undefined>;
  /** Of the status of this node, as last told. */
  volumesAttached(): readonly string[];
  /** Rejects when it cannot be written. */
  writeVolumesInUse(names: readonly string[]): Promise<void>;
}

export interface AttachmentsOptions {
  readonly api: AttachmentApi;
  readonly nodeName: string;
  readonly clock: Clock;
}

const lookMs = 300;
const waitMs = 600_000;
const attachmentWaitMs = 120_000;

export class Attachments {
  readonly #options: AttachmentsOptions;
  readonly #inUse = new Set<string>();
  #written: Promise<void> | undefined;

  constructor(options: AttachmentsOptions) {
    this.#options = options;
  }

  /** Volumes that were in use before this process. */
  known(sources: readonly Pick<CsiSource, 'driver' | 'handle'>[]): void {
    for (const source of sources) this.#inUse.add(uniqueName(source));
  }

  /** @returns what the driver that attached the volume has to say. Throws `VolumeError` when that takes too long. */
  async attached(source: CsiSource, signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    const { api } = this.#options;
    const name = uniqueName(source);
    await this.#use(name);
    await this.#until(
      () => api.volumesAttached().includes(name),
      waitMs,
      signal,
      'timed out waiting for the condition',
    );
    let found: VolumeAttachment | undefined;
    await this.#until(
      async () => {
        found = await api.volumeAttachment(attachmentName(source, this.#options.nodeName), signal);
        if (found?.metadata.deletionTimestamp !== undefined)
          throw new VolumeError('volume attachment is being deleted');
        const { attached, attachError } = found?.status ?? {};
        if (attached === true) return true;
        if (attachError?.message !== undefined) throw new VolumeError(attachError.message);
        return false;
      },
      attachmentWaitMs,
      signal,
      `timed out waiting for external-attacher of ${source.driver} CSI driver to attach volume ${source.handle}`,
    );
    return found?.status?.attachmentMetadata ?? {};
  }

  /** The volume may be detached. */
  async release(source: Pick<CsiSource, 'driver' | 'handle'>): Promise<void> {
    if (!this.#inUse.delete(uniqueName(source))) return;
    await this.#write();
  }

  async #use(name: string): Promise<void> {
    if (!this.#inUse.has(name)) {
      this.#inUse.add(name);
      this.#written = undefined;
    }
    // What was not written is written with the next try.
    this.#written ??= this.#write();
    try {
      await this.#written;
    } catch (error) {
      this.#written = undefined;
      throw error;
    }
  }

  #write(): Promise<void> {
    return this.#options.api.writeVolumesInUse([...this.#inUse].sort());
  }

  async #until(
    holds: () => boolean | Promise<boolean>,
    limitMs: number,
    signal: AbortSignal,
    message: string,
  ): Promise<void> {
    const { clock } = this.#options;
    const endsAt = clock.now() + limitMs;
    while (!(await holds())) {
      if (clock.now() >= endsAt) throw new VolumeError(message);
      await sleep(clock, lookMs, signal);
      signal.throwIfAborted();
    }
  }
}
