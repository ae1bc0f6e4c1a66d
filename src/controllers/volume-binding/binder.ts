/** Does what is to become of claims and volumes, one after the other. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { SyncResult } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { claimKey, claimVerdict, type StorageView } from './claims.ts';
import { markedClaim, markedVolume } from './migration-marks.ts';
import type { BindingMetrics } from './metrics.ts';
import type { Provisioner } from './provisioner.ts';
import type { Reclaimer } from './reclaimer.ts';
import type { StorageWriter } from './storage-writer.ts';
import { unbound, volumeVerdict } from './volumes.ts';
import { boundClaim, boundStatus, boundVolume } from './writes.ts';

export interface BinderState {
  readonly claims: MutationCache<PersistentVolumeClaim>;
  readonly volumes: MutationCache<PersistentVolume>;
  readonly storage: StorageView;
  readonly writer: StorageWriter;
  readonly provisioner: Provisioner;
  readonly reclaimer: Reclaimer;
  readonly metrics: BindingMetrics;
  /** Looks at the claim soon. @param key `namespace/name` */
  wakeClaim(key: string): void;
}

export class Binder {
  readonly #context: ControllerContext;
  readonly #state: BinderState;

  constructor(context: ControllerContext, state: BinderState) {
    this.#context = context;
    this.#state = state;
  }

  async syncClaim(key: string): Promise<void> {
    const { writer, storage, provisioner } = this.#state;
    const known = this.#state.claims.get(key);
    if (known === undefined) return;
    const marked = markedClaim(known, this.#context.isGateOn);
    const claim = marked === undefined ? known : await writer.updateClaim(marked);
    const verdict = claimVerdict(claim, storage);
    switch (verdict.do) {
      case 'bind':
        return this.#bind(claim, verdict.volume);
      case 'setClass':
        return this.#setClass(claim, verdict.className);
      case 'provision':
        await provisioner.provision(claim, verdict.className);
        return;
      case 'wait':
        writer.tell(claim, verdict.notice);
        await writer.withoutVolume(claim, 'Pending');
        return;
      case 'lose':
        if (claim.status.phase === 'Lost') return;
        writer.tell(await writer.withoutVolume(claim, 'Lost'), verdict.notice);
        return;
      case 'fail':
        writer.tell(claim, verdict.notice);
        throw new Error(verdict.problem);
    }
  }

  async #setClass(claim: PersistentVolumeClaim, storageClassName: string): Promise<void> {
    const changed = { ...claim, spec: { ...claim.spec, storageClassName } };
    await this.#state.metrics.classSet(() => this.#state.writer.updateClaim(changed));
  }

  async syncVolume(name: string): Promise<SyncResult> {
    const { writer, reclaimer, wakeClaim } = this.#state;
    const known = this.#state.volumes.get(name);
    if (known === undefined) {
      reclaimer.forget(name);
      return undefined;
    }
    const marked = markedVolume(known, this.#context.isGateOn);
    const volume = marked === undefined ? known : await writer.updateVolume(marked);
    const claim = await this.#claimOf(volume);
    const verdict = volumeVerdict(volume, claim);
    if (verdict.do === 'release') return reclaimer.release(volume);
    reclaimer.forget(name);
    switch (verdict.do) {
      case 'setPhase':
        await writer.setPhase(volume, verdict.phase);
        return undefined;
      case 'wakeClaim':
        wakeClaim(claimKey(claim!));
        return undefined;
      case 'tellOfMode':
        this.#tellOfMode(volume, claim!);
        return undefined;
      case 'unbind':
        await writer.setPhase(await writer.updateVolume(unbound(volume)), 'Available');
        return undefined;
    }
  }

  async #bind(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    const { writer } = this.#state;
    const changedVolume = boundVolume(volume, claim);
    const claimed = await writer.setPhase(
      changedVolume === undefined ? volume : await writer.updateVolume(changedVolume),
      'Bound',
    );
    const changedClaim = boundClaim(claim, volume.metadata.name!);
    const bound = changedClaim === undefined ? claim : await writer.updateClaim(changedClaim);
    const status = boundStatus(bound, claimed);
    if (status !== undefined) await writer.updateClaimStatus({ ...bound, status });
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
    const { writer } = this.#state;
    const why = 'due to incompatible volumeMode.';
    const toVolume = `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" ${why}`;
    const toClaim = `Cannot bind PersistentVolume "${volume.metadata.name}" to requested PersistentVolumeClaim ${why}`;
    writer.tell(volume, { type: 'Warning', reason: 'VolumeMismatch', message: toVolume });
    writer.tell(claim, { type: 'Warning', reason: 'VolumeMismatch', message: toClaim });
  }
}
