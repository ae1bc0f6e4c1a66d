/** Takes back volumes that no claim has any more: keeps, empties or deletes what is stored. */
import type { PersistentVolume } from '../../api/gen/types/core-v1.ts';
import type { SyncResult } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { hasFinalizer, withFinalizer } from '../shared/finalizers.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import type { Notice } from './claims.ts';
import type { Folders } from './host-path.ts';
import { deletionFinalizer } from './migration-marks.ts';
import type { RecycledSource } from './recycler-pod.ts';
import type { Recycler } from './recycler.ts';
import type { StorageWriter } from './storage-writer.ts';
import { reclaimOf, unbound } from './volumes.ts';

export interface ReclaimerParts {
  readonly writer: StorageWriter;
  readonly recycler: Recycler;
  readonly folders: Folders;
}

export class Reclaimer {
  readonly #context: ControllerContext;
  readonly #parts: ReclaimerParts;

  constructor(context: ControllerContext, parts: ReclaimerParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** @param name of a volume that is not to be reclaimed, or gone */
  forget(name: string): void {
    this.#parts.recycler.forget(name);
  }

  /** @param volume whose claim is gone, or has another volume */
  async release(volume: PersistentVolume): Promise<SyncResult> {
    const { phase } = volume.status;
    const isTold = phase === 'Released' || phase === 'Failed';
    const released = isTold ? volume : await this.#parts.writer.setPhase(volume, 'Released');
    const { options, isGateOn } = this.#context;
    const isHostPathEnabled = options.persistentVolumeBinder.enableHostPathProvisioner;
    const reclaim = reclaimOf(released, { isHostPathEnabled, isGateOn });
    switch (reclaim.do) {
      case 'nothing':
        return undefined;
      case 'fail':
        await this.#fail(released, reclaim.notice);
        return undefined;
      case 'recycle':
        return this.#recycle(released, reclaim.source);
      case 'deleteFolder':
        await this.#deleteFolder(released, reclaim.path);
        return undefined;
    }
  }

  async #recycle(volume: PersistentVolume, source: RecycledSource): Promise<SyncResult> {
    const { writer, recycler } = this.#parts;
    const progress = await recycler.advance(volume, source);
    if (progress.is === 'under way')
      return progress.afterMs === undefined ? undefined : { requeueAfterMs: progress.afterMs };
    if (progress.is === 'done') {
      writer.tell(volume, { type: 'Normal', reason: 'VolumeRecycled', message: 'Volume recycled' });
      await writer.setPhase(await writer.updateVolume(unbound(volume)), 'Available');
      return undefined;
    }
    const message = `Recycle failed: ${progress.reason}`;
    await this.#fail(volume, { type: 'Warning', reason: 'VolumeFailedRecycle', message });
    return { requeueAfterMs: 0 };
  }

  async #deleteFolder(volume: PersistentVolume, path: string): Promise<void> {
    const { writer, folders } = this.#parts;
    const { persistentvolumes } = this.#context.client.core.v1;
    const { name, uid } = volume.metadata;
    // Not because the informer is late: the volume may have got another claim.
    const fresh = await persistentvolumes.get(name!).catch(undefinedWhenGone);
    if (fresh === undefined || fresh.metadata.uid !== uid) return;
    if (fresh.spec.claimRef?.uid !== volume.spec.claimRef?.uid) return;
    try {
      await folders.remove(path);
    } catch (error) {
      const { message } = error as Error;
      return this.#fail(fresh, { type: 'Warning', reason: 'VolumeFailedDelete', message });
    }
    const isKept = hasFinalizer(fresh, deletionFinalizer);
    if (isKept) await writer.updateVolume(withFinalizer(fresh, deletionFinalizer, false));
    await persistentvolumes.delete(name!, { preconditions: { uid: uid! } }).catch(undefinedWhenGone);
  }

  /** Told once. */
  async #fail(volume: PersistentVolume, notice: Notice): Promise<void> {
    if (volume.status.phase === 'Failed') return;
    const { writer } = this.#parts;
    writer.tell(await writer.setPhase(volume, 'Failed', notice.message), notice);
  }
}
