/**
 * Folders of the machine as volumes, for tests on a single node.
 * @see {@link https://kubernetes.io/docs/concepts/storage/volumes/#hostpath | hostPath}
 */
import { mkdir, rm } from 'node:fs/promises';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import type { StorageClass } from '../../api/gen/types/storage-v1.ts';
import { boundByController } from '../../api/core/persistent-volumes/binding.ts';
import { deletionFinalizer, provisionedBy } from './migration-marks.ts';

export const hostPathPlugin = 'kubernetes.io/host-path';

const base = '/tmp/hostpath_pv';

/** @param id a random UUID */
export const folderOf = (id: string): string => `${base}/${id}`;

/** That {@link folderOf} has made the name. Nothing else is ever deleted. */
export const isOwnFolder = (path: string): boolean =>
  path.startsWith(`${base}/`) && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(path.slice(base.length + 1));

export interface Folders {
  make(path: string): Promise<void>;
  /** One that is gone already is no failure. */
  remove(path: string): Promise<void>;
}

export const hostFolders: Folders = {
  async make(path) {
    await mkdir(path, { recursive: true, mode: 0o750 });
  },
  async remove(path) {
    await rm(path, { recursive: true, force: true });
  },
};

/** The volume of a folder, made for the claim. */
export function hostPathVolume(
  claim: PersistentVolumeClaim,
  { metadata, reclaimPolicy = 'Delete' }: StorageClass,
  path: string,
  isGateOn: (gate: string) => boolean,
): PersistentVolume {
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  const isKept = reclaimPolicy === 'Delete' && isGateOn('HonorPVReclaimPolicy');
  return {
    metadata: {
      name: volumeNameFor(claim),
      annotations: {
        'kubernetes.io/createdby': 'hostpath-dynamic-provisioner',
        [boundByController]: 'yes',
        [provisionedBy]: hostPathPlugin,
      },
      ...(isKept ? { finalizers: [deletionFinalizer] } : {}),
    },
    spec: {
      accessModes: claim.spec.accessModes?.length ? claim.spec.accessModes : ['ReadWriteOnce'],
      capacity: { storage: claim.spec.resources.requests?.['storage'] ?? '0' },
      claimRef: {
        ...{ kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace: namespace!, name: name!, uid: uid! },
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
      hostPath: { path },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: metadata.name!,
    },
    status: {},
  };
}

/** The same for each try. */
export const volumeNameFor = ({ metadata }: PersistentVolumeClaim): string => `pvc-${metadata.uid}`;
