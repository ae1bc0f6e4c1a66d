/** Writes claims and volumes, and reads its own writes. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { ControllerContext } from '../manager/context.ts';
import type { Notice } from './claims.ts';
import { volumelessStatus } from './writes.ts';

export type VolumePhase = NonNullable<PersistentVolume['status']['phase']>;

export class StorageWriter {
  readonly #context: ControllerContext;
  readonly #claims: MutationCache<PersistentVolumeClaim>;
  readonly #volumes: MutationCache<PersistentVolume>;

  constructor(
    context: ControllerContext,
    claims: MutationCache<PersistentVolumeClaim>,
    volumes: MutationCache<PersistentVolume>,
  ) {
    this.#context = context;
    this.#claims = claims;
    this.#volumes = volumes;
  }

  tell(object: PersistentVolume | PersistentVolumeClaim, notice: Notice | undefined): void {
    if (notice !== undefined) this.#context.events.event(object, notice.type, notice.reason, notice.message);
  }

  async setPhase(volume: PersistentVolume, phase: VolumePhase, message?: string): Promise<PersistentVolume> {
    if (volume.status.phase === phase) return volume;
    const { message: _, ...rest } = volume.status;
    const status = { ...rest, phase, ...(message === undefined ? {} : { message }) };
    const written = await this.#context.client.core.v1.persistentvolumes.status.update({ ...volume, status });
    this.#volumes.wrote(written);
    return written;
  }

  async updateVolume(volume: PersistentVolume): Promise<PersistentVolume> {
    const written = await this.#context.client.core.v1.persistentvolumes.update(volume);
    this.#volumes.wrote(written);
    return written;
  }

  async createVolume(volume: PersistentVolume): Promise<PersistentVolume> {
    const written = await this.#context.client.core.v1.persistentvolumes.create(volume);
    this.#volumes.wrote(written);
    return written;
  }

  async updateClaim(claim: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
    const { persistentvolumeclaims } = this.#context.client.core.v1;
    const written = await persistentvolumeclaims.namespace(claim.metadata.namespace!).update(claim);
    this.#claims.wrote(written);
    return written;
  }

  async updateClaimStatus(claim: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
    const { persistentvolumeclaims } = this.#context.client.core.v1;
    const written = await persistentvolumeclaims.namespace(claim.metadata.namespace!).status.update(claim);
    this.#claims.wrote(written);
    return written;
  }

  async withoutVolume(claim: PersistentVolumeClaim, phase: 'Pending' | 'Lost'): Promise<PersistentVolumeClaim> {
    const status = volumelessStatus(claim, phase);
    return status === undefined ? claim : this.updateClaimStatus({ ...claim, status });
  }
}
