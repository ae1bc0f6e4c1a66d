/** Does what is to become of claims and volumes, one after the other. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import type { StorageClass } from '../../api/gen/types/storage-v1.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { ControllerContext } from '../manager/context.ts';
import { claimKey, claimVerdict, type Notice, type StorageView } from './claims.ts';
import { isInTree, noPlugin, reclaimProblem, unbound, volumeVerdict } from './volumes.ts';
import { boundClaim, boundStatus, boundVolume, claimForProvisioner, volumelessStatus } from './writes.ts';

export interface BinderState {
  readonly claims: MutationCache<PersistentVolumeClaim>;
  readonly volumes: MutationCache<PersistentVolume>;
  readonly storage: StorageView;
  /** Looks at the claim soon. @param key `namespace/name` */
  wakeClaim(key: string): void;
}

type VolumePhase = NonNullable<PersistentVolume['status']['phase']>;

export class Binder {
  readonly #context: ControllerContext;
  readonly #state: BinderState;

  constructor(context: ControllerContext, state: BinderState) {
    this.#context = context;
    this.#state = state;
  }

  async syncClaim(key: string): Promise<void> {
    const claim = this.#state.claims.get(key);
    if (claim === undefined) return;
    const verdict = claimVerdict(claim, this.#state.storage);
    switch (verdict.do) {
      case 'bind':
        return this.#bind(claim, verdict.volume);
      case 'setClass':
        await this.#updateClaim({ ...claim, spec: { ...claim.spec, storageClassName: verdict.className } });
        return;
      case 'provision':
        return this.#provision(claim, verdict.className);
      case 'wait':
        this.#tell(claim, verdict.notice);
        await this.#withoutVolume(claim, 'Pending');
        return;
      case 'lose':
        if (claim.status.phase === 'Lost') return;
        this.#tell(await this.#withoutVolume(claim, 'Lost'), verdict.notice);
    }
  }

  async syncVolume(name: string): Promise<void> {
    const volume = this.#state.volumes.get(name);
    if (volume === undefined) return;
    const claim = await this.#claimOf(volume);
    const verdict = volumeVerdict(volume, claim);
    switch (verdict.do) {
      case 'setPhase':
        await this.#setPhase(volume, verdict.phase);
        return;
      case 'release':
        return this.#release(volume);
      case 'wakeClaim':
        return this.#state.wakeClaim(claimKey(claim!));
      case 'tellOfMode':
        return this.#tellOfMode(volume, claim!);
      case 'unbind':
        await this.#setPhase(await this.#updateVolume(unbound(volume)), 'Available');
    }
  }

  async #bind(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    const changedVolume = boundVolume(volume, claim);
    const claimed = await this.#setPhase(
      changedVolume === undefined ? volume : await this.#updateVolume(changedVolume),
      'Bound',
    );
    const changedClaim = boundClaim(claim, volume.metadata.name!);
    const bound = changedClaim === undefined ? claim : await this.#updateClaim(changedClaim);
    const status = boundStatus(bound, claimed);
    if (status !== undefined) await this.#updateClaimStatus({ ...bound, status });
  }

  async #provision(claim: PersistentVolumeClaim, className: string): Promise<void> {
    if (!this.#context.options.persistentVolumeBinder.enableDynamicProvisioning) return;
    const { provisioner = '' }: Partial<StorageClass> = this.#state.storage.storageClass(className) ?? {};
    if (provisioner === '' || isInTree(provisioner)) {
      const message =
        provisioner === '' ? `storageclass.storage.k8s.io "${className}" not found` : noPlugin(provisioner);
      return this.#tell(claim, { type: 'Warning', reason: 'ProvisioningFailed', message });
    }
    const changed = claimForProvisioner(claim, provisioner);
    const message =
      `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the ` +
      'system administrator. If volume creation is delayed, please verify that the provisioner is running and ' +
      'correctly registered.';
    this.#tell(changed === undefined ? claim : await this.#updateClaim(changed), {
      type: 'Normal',
      reason: 'ExternalProvisioning',
      message,
    });
  }

  async #release(volume: PersistentVolume): Promise<void> {
    const { phase } = volume.status;
    const released = phase === 'Released' || phase === 'Failed' ? volume : await this.#setPhase(volume, 'Released');
    const problem = reclaimProblem(released);
    if (problem === undefined || released.status.phase === 'Failed') return;
    this.#tell(await this.#setPhase(released, 'Failed', problem.message), problem);
  }

  /**
   * The claim that has the volume. A volume is not released because the informer is late: the server is asked for a
   * claim that is not known.
   */
  async #claimOf(volume: PersistentVolume): Promise<PersistentVolumeClaim | undefined> {
    const { namespace = '', name = '', uid = '' } = volume.spec.claimRef ?? {};
    if (uid === '') return undefined;
    const known = this.#state.claims.get(`${namespace}/${name}`);
    if (known?.metadata.uid === uid) return known;
    const { phase } = volume.status;
    if (phase === 'Released' || phase === 'Failed') return undefined;
    const { persistentvolumeclaims } = this.#context.client.core.v1;
    const claim = await persistentvolumeclaims.namespace(namespace).get(name).catch(undefinedWhenGone);
    return claim?.metadata.uid === uid ? claim : undefined;
  }

  #tellOfMode(volume: PersistentVolume, claim: PersistentVolumeClaim): void {
    const why = 'due to incompatible volumeMode.';
    const toVolume = `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" ${why}`;
    const toClaim = `Cannot bind PersistentVolume "${volume.metadata.name}" to requested PersistentVolumeClaim ${why}`;
    this.#tell(volume, { type: 'Warning', reason: 'VolumeMismatch', message: toVolume });
    this.#tell(claim, { type: 'Warning', reason: 'VolumeMismatch', message: toClaim });
  }

  #tell(object: PersistentVolume | PersistentVolumeClaim, notice: Notice | undefined): void {
    if (notice !== undefined) this.#context.events.event(object, notice.type, notice.reason, notice.message);
  }

  async #setPhase(volume: PersistentVolume, phase: VolumePhase, message?: string): Promise<PersistentVolume> {
    if (volume.status.phase === phase) return volume;
    const { message: _, ...rest } = volume.status;
    const status = { ...rest, phase, ...(message === undefined ? {} : { message }) };
    const written = await this.#context.client.core.v1.persistentvolumes.status.update({ ...volume, status });
    this.#state.volumes.wrote(written);
    return written;
  }

  async #updateVolume(volume: PersistentVolume): Promise<PersistentVolume> {
    const written = await this.#context.client.core.v1.persistentvolumes.update(volume);
    this.#state.volumes.wrote(written);
    return written;
  }

  async #updateClaim(claim: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
    const { persistentvolumeclaims } = this.#context.client.core.v1;
    const written = await persistentvolumeclaims.namespace(claim.metadata.namespace!).update(claim);
    this.#state.claims.wrote(written);
    return written;
  }

  async #updateClaimStatus(claim: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
    const { persistentvolumeclaims } = this.#context.client.core.v1;
    const written = await persistentvolumeclaims.namespace(claim.metadata.namespace!).status.update(claim);
    this.#state.claims.wrote(written);
    return written;
  }

  async #withoutVolume(claim: PersistentVolumeClaim, phase: 'Pending' | 'Lost'): Promise<PersistentVolumeClaim> {
    const status = volumelessStatus(claim, phase);
    return status === undefined ? claim : this.#updateClaimStatus({ ...claim, status });
  }
}
