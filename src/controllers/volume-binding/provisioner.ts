/** Has volumes made for claims: by drivers, or here as folders. */
import { randomUUID } from 'node:crypto';
import type { PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import type { StorageClass } from '../../api/gen/types/storage-v1.ts';
import { selectedNode } from '../../api/core/persistent-volumes/binding.ts';
import { isAlreadyExists } from '../../client/api-error.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import type { ControllerContext } from '../manager/context.ts';
import { type Folders, folderOf, hostPathPlugin, hostPathVolume, volumeNameFor } from './host-path.ts';
import { notMade, provisioningFailed, provisioningOf, waitingFor } from './provisioning.ts';
import type { StorageWriter } from './storage-writer.ts';
import { claimForProvisioner, claimWithoutNode } from './writes.ts';

export interface ProvisionerParts {
  readonly writer: StorageWriter;
  readonly folders: Folders;
  hasVolume(name: string): boolean;
  storageClass(name: string): StorageClass | undefined;
}

export class Provisioner {
  readonly #context: ControllerContext;
  readonly #parts: ProvisionerParts;

  constructor(context: ControllerContext, parts: ProvisionerParts) {
    this.#context = context;
    this.#parts = parts;
  }

  async provision(claim: PersistentVolumeClaim, className: string): Promise<void> {
    const { options, isGateOn } = this.#context;
    const { enableDynamicProvisioning, enableHostPathProvisioner } = options.persistentVolumeBinder;
    if (!enableDynamicProvisioning) return;
    const storageClass = this.#parts.storageClass(className);
    const choice = { isHostPathEnabled: enableHostPathProvisioner, isGateOn };
    const provisioning = provisioningOf(claim, className, storageClass, choice);
    switch (provisioning.by) {
      case 'no one':
        return this.#parts.writer.tell(claim, provisioning.notice);
      case 'driver': {
        const { driver } = provisioning;
        return this.#parts.writer.tell(await this.#announce(claim, driver), waitingFor(driver));
      }
      case 'host path': {
        const announced = await this.#announce(claim, hostPathPlugin);
        if (this.#parts.hasVolume(volumeNameFor(claim))) return;
        const { storageClass, problem } = provisioning;
        if (problem === undefined) return this.#makeFolder(announced, storageClass);
        if (problem.isOfNode) await this.#giveUpNode(announced);
        return this.#parts.writer.tell(announced, problem.notice);
      }
    }
  }

  async #announce(claim: PersistentVolumeClaim, provisioner: string): Promise<PersistentVolumeClaim> {
    const changed = claimForProvisioner(claim, provisioner);
    return changed === undefined ? claim : this.#parts.writer.updateClaim(changed);
  }

  /** The scheduler chooses again. That it could not be told so is no failure of its own: the next try does it. */
  async #giveUpNode(claim: PersistentVolumeClaim): Promise<void> {
    const changed = claimWithoutNode(claim);
    try {
      if (changed !== undefined) await this.#parts.writer.updateClaim(changed);
    } catch (error) {
      this.#context.log.debug({ err: error }, 'the node of a claim could not be given up');
    }
  }

  async #makeFolder(claim: PersistentVolumeClaim, storageClass: StorageClass): Promise<void> {
    const { writer, folders } = this.#parts;
    await this.#checkNode(claim);
    const path = folderOf(randomUUID());
    try {
      await folders.make(path);
    } catch (error) {
      await this.#giveUpNode(claim);
      writer.tell(claim, notMade(storageClass.metadata.name!, textOf(error)));
      throw error;
    }
    try {
      await writer.createVolume(hostPathVolume(claim, storageClass, path, this.#context.isGateOn));
    } catch (error) {
      if (!isAlreadyExists(error))
        this.#tellOf(claim, 'Error creating provisioned PV object', error, '. Deleting the volume.');
      await this.#removeFolder(claim, path);
      if (isAlreadyExists(error)) return;
      throw error;
    }
    const message = `Successfully provisioned volume ${volumeNameFor(claim)} using ${hostPathPlugin}`;
    writer.tell(claim, { type: 'Normal', reason: 'ProvisioningSucceeded', message });
  }

  /** Throws when the node that the scheduler chose is gone. */
  async #checkNode(claim: PersistentVolumeClaim): Promise<void> {
    const node = claim.metadata.annotations?.[selectedNode];
    if (node === undefined) return;
    const found = await this.#context.client.core.v1.nodes.get(node).catch(undefinedWhenGone);
    if (found !== undefined) return;
    const message = `Failed to get target node: node "${node}" not found`;
    this.#parts.writer.tell(claim, provisioningFailed(message));
    throw new Error(message);
  }

  async #removeFolder(claim: PersistentVolumeClaim, path: string): Promise<void> {
    try {
      await this.#parts.folders.remove(path);
    } catch (error) {
      const reason = 'ProvisioningCleanupFailed';
      this.#tellOf(claim, 'Error cleaning provisioned volume', error, '. Please delete manually.', reason);
    }
  }

  #tellOf(
    claim: PersistentVolumeClaim,
    what: string,
    error: unknown,
    then: string,
    reason = 'ProvisioningFailed',
  ): void {
    const { namespace, name } = claim.metadata;
    const message = `${what} for claim ${namespace}/${name}: ${textOf(error)}${then}`;
    this.#parts.writer.tell(claim, { type: 'Warning', reason, message });
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
