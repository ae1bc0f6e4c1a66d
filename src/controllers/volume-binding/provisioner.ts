/** Has volumes made for claims: by drivers, or here as folders. */
import { randomUUID } from 'node:crypto';
import type { PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import type { StorageClass } from '../../api/gen/types/storage-v1.ts';
import { isAlreadyExists } from '../../client/api-error.ts';
import type { ControllerContext } from '../manager/context.ts';
import { type Folders, folderOf, hostPathPlugin, hostPathVolume, volumeNameFor } from './host-path.ts';
import { provisioningFailed, provisioningOf, waitingFor } from './provisioning.ts';
import type { StorageWriter } from './storage-writer.ts';
import { claimForProvisioner } from './writes.ts';

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
      case 'host path':
        return this.#makeFolder(await this.#announce(claim, hostPathPlugin), provisioning.storageClass);
    }
  }

  async #announce(claim: PersistentVolumeClaim, provisioner: string): Promise<PersistentVolumeClaim> {
    const changed = claimForProvisioner(claim, provisioner);
    return changed === undefined ? claim : this.#parts.writer.updateClaim(changed);
  }

  async #makeFolder(claim: PersistentVolumeClaim, storageClass: StorageClass): Promise<void> {
    const { writer, folders, hasVolume } = this.#parts;
    const name = volumeNameFor(claim);
    if (hasVolume(name)) return;
    const path = folderOf(randomUUID());
    try {
      await folders.make(path);
    } catch (error) {
      const message = `Failed to provision volume with StorageClass "${storageClass.metadata.name}": ${textOf(error)}`;
      writer.tell(claim, provisioningFailed(message));
      throw error;
    }
    try {
      await writer.createVolume(hostPathVolume(claim, storageClass, path, this.#context.isGateOn));
    } catch (error) {
      await folders.remove(path);
      if (isAlreadyExists(error)) return;
      const { namespace, name: claimName } = claim.metadata;
      const message =
        `Error creating provisioned PV object for claim ${namespace}/${claimName}: ${textOf(error)}. ` +
        'Deleting the volume.';
      writer.tell(claim, provisioningFailed(message));
      throw error;
    }
    const message = `Successfully provisioned volume ${name} using ${hostPathPlugin}`;
    writer.tell(claim, { type: 'Normal', reason: 'ProvisioningSucceeded', message });
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
