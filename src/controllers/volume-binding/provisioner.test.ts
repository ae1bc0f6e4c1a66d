import { expect, test } from 'vitest';
import type { PersistentVolumeClaimSpec } from '../../api/gen/types/core-v1.ts';
import type { StorageClass } from '../../api/gen/types/storage-v1.ts';
import { ApiError } from '../../client/api-error.ts';
import { silentLogger } from '../../base/logger.ts';
import type { ControllerContext } from '../manager/context.ts';
import { defaultControllerManagerOptions } from '../manager/options.ts';
import { Provisioner } from './provisioner.ts';
import type { StorageWriter } from './storage-writer.ts';
import { claimOf } from './testing/objects.ts';

const selected = { 'volume.kubernetes.io/selected-node': 'n1' };
const full = new Error('no space left');
const there = new ApiError(409, 'AlreadyExists', 'there');
const hostPath = 'kubernetes.io/host-path';

interface Row {
  readonly name: string;
  readonly storageClass?: Partial<StorageClass>;
  readonly claim?: Partial<PersistentVolumeClaimSpec>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly options?: { enableDynamicProvisioning?: boolean; enableHostPathProvisioner?: boolean };
  readonly nodes?: readonly string[];
  readonly hasVolume?: boolean;
  readonly failing?: { make?: Error; create?: Error; remove?: Error };
  /** What is done and told, in order. */
  readonly is: readonly string[];
  readonly throws?: string;
}

const succeeded = `ProvisioningSucceeded: Successfully provisioned volume pvc-u1 using ${hostPath}`;
const announced = 'claim: volume.kubernetes.io/storage-provisioner=kubernetes.io/host-path';

test.each<Row>([
  {
    name: 'is made as a folder',
    is: [announced, 'make', 'create pvc-u1', succeeded],
  },
  { name: 'is not made where nothing is to be provisioned', options: { enableDynamicProvisioning: false }, is: [] },
  {
    name: 'is waited for where a driver makes it',
    storageClass: { provisioner: 'csi.example.com' },
    is: [
      'claim: volume.kubernetes.io/storage-provisioner=csi.example.com',
      "ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'csi.example.com' " +
        'or manually by the system administrator. If volume creation is delayed, please verify that the provisioner ' +
        'is running and correctly registered.',
    ],
  },
  { name: 'is not made twice', hasVolume: true, is: [announced] },
  {
    name: 'is not made with mount options, of which the claim is told after its provisioner',
    storageClass: { mountOptions: ['a'] },
    is: [
      announced,
      'ProvisioningFailed: Mount options are not supported by the provisioner but StorageClass "k" has mount options ' +
        '[a]',
    ],
  },
  {
    name: 'is not made of a snapshot, of which the claim is told before its provisioner',
    claim: { dataSource: { kind: 'VolumeSnapshot', name: 's' } },
    is: [
      `ProvisioningFailed: plugin "${hostPath}" is not a CSI plugin. ` +
        'Only CSI plugin can provision a claim with a datasource',
    ],
  },
  {
    name: 'cannot be of blocks, and the node is chosen again',
    claim: { volumeMode: 'Block' },
    annotations: selected,
    is: [
      announced,
      'claim: no node',
      'ProvisioningFailed: Failed to provision volume with StorageClass "k": ' +
        `${hostPath} does not support block volume provisioning`,
    ],
  },
  {
    name: 'is made for the node that is chosen',
    annotations: selected,
    nodes: ['n1'],
    is: [announced, 'make', 'create pvc-u1', succeeded],
  },
  {
    name: 'is not made for a node that is gone',
    annotations: selected,
    is: [announced, 'ProvisioningFailed: Failed to get target node: node "n1" not found'],
    throws: 'Failed to get target node: node "n1" not found',
  },
  {
    name: 'cannot be made on its node, and the node is chosen again',
    annotations: selected,
    nodes: ['n1'],
    failing: { make: full },
    is: [
      announced,
      'make',
      'claim: no node',
      'ProvisioningFailed: Failed to provision volume with StorageClass "k": no space left',
    ],
    throws: 'no space left',
  },
  {
    name: 'is taken back when its object cannot be made',
    failing: { create: full },
    is: [
      announced,
      'make',
      'create pvc-u1',
      'ProvisioningFailed: Error creating provisioned PV object for claim n/c: no space left. Deleting the volume.',
      'remove',
    ],
    throws: 'no space left',
  },
  {
    name: 'that cannot be taken back is left to a user',
    failing: { create: full, remove: new Error('busy') },
    is: [
      announced,
      'make',
      'create pvc-u1',
      'ProvisioningFailed: Error creating provisioned PV object for claim n/c: no space left. Deleting the volume.',
      'remove',
      'ProvisioningCleanupFailed: Error cleaning provisioned volume for claim n/c: busy. Please delete manually.',
    ],
    throws: 'no space left',
  },
  {
    name: 'is taken back without a word when another one was faster',
    failing: { create: there },
    is: [announced, 'make', 'create pvc-u1', 'remove'],
  },
])('The volume of a claim $name', async (row) => {
  const { storageClass, claim, annotations, options, nodes = [], hasVolume = false, failing = {}, is, throws } = row;
  const done: string[] = [];
  const step = (what: string, error?: Error): Promise<void> => {
    done.push(what);
    return error === undefined ? Promise.resolve() : Promise.reject(error);
  };
  const writer = {
    tell: (_: unknown, notice: { reason: string; message: string }) =>
      void done.push(`${notice.reason}: ${notice.message}`),
    updateClaim: (changed: ReturnType<typeof claimOf>) => {
      const known = changed.metadata.annotations!;
      const isLost = annotations !== undefined && known['volume.kubernetes.io/selected-node'] === undefined;
      const key = 'volume.kubernetes.io/storage-provisioner';
      done.push(isLost ? 'claim: no node' : `claim: ${key}=${known[key]}`);
      return Promise.resolve(changed);
    },
    createVolume: ({ metadata }: { metadata: { name: string } }) => step(`create ${metadata.name}`, failing.create),
  } as unknown as StorageWriter;
  const binder = { ...defaultControllerManagerOptions.persistentVolumeBinder, enableHostPathProvisioner: true };
  const context = {
    options: { persistentVolumeBinder: { ...binder, ...options } },
    isGateOn: () => true,
    log: silentLogger,
    client: {
      core: {
        v1: {
          nodes: {
            get: (name: string) =>
              nodes.includes(name) ? Promise.resolve({}) : Promise.reject(new ApiError(404, 'NotFound', 'gone')),
          },
        },
      },
    },
  } as unknown as ControllerContext;
  const provisioner = new Provisioner(context, {
    writer,
    folders: { make: () => step('make', failing.make), remove: () => step('remove', failing.remove) },
    hasVolume: () => hasVolume,
    storageClass: () => ({ metadata: { name: 'k' }, provisioner: hostPath, ...storageClass }),
  });
  const run = provisioner.provision(claimOf(claim, annotations), 'k');
  if (throws === undefined) await run;
  else await expect(run).rejects.toThrow(throws);
  expect(done).toEqual(is);
});
