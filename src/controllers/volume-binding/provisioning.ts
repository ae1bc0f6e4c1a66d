/** Who makes a volume for a claim. Reads nothing and writes nothing. */
import type { PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import type { StorageClass } from '../../api/gen/types/storage-v1.ts';
import { modeOf } from '../../api/core/persistent-volumes/matching.ts';
import { driverOfPlugin } from '../../api/core/persistent-volumes/migration.ts';
import type { Notice } from './claims.ts';
import { hostPathPlugin } from './host-path.ts';
import { isInTree } from './migration-marks.ts';

export type Provisioning =
  | { readonly by: 'no one'; readonly notice: Notice }
  /** A program of its own, which finds the claim by an annotation. */
  | { readonly by: 'driver'; readonly driver: string }
  | { readonly by: 'host path'; readonly storageClass: StorageClass; readonly problem?: HostPathProblem };

/** Why a folder cannot be the volume, found after the claim was told its provisioner. */
export interface HostPathProblem {
  readonly notice: Notice;
  /** The making itself failed: the scheduler may choose another node. */
  readonly isOfNode: boolean;
}

export interface ProvisioningOptions {
  readonly isHostPathEnabled: boolean;
  readonly isGateOn: (gate: string) => boolean;
}

export function provisioningOf(
  claim: PersistentVolumeClaim,
  className: string,
  storageClass: StorageClass | undefined,
  { isHostPathEnabled, isGateOn }: ProvisioningOptions,
): Provisioning {
  if (storageClass === undefined) return failed(`storageclass.storage.k8s.io "${className}" not found`);
  const { provisioner = '' } = storageClass;
  const driver = driverOfPlugin(provisioner, isGateOn) ?? (isInTree(provisioner) ? undefined : provisioner);
  if (driver !== undefined) return { by: 'driver', driver };
  if (provisioner !== hostPathPlugin) return failed(noProvisioning(provisioner));
  if (claim.spec.dataSource !== undefined)
    return failed(
      `plugin "${hostPathPlugin}" is not a CSI plugin. Only CSI plugin can provision a claim with a datasource`,
    );
  const problem = hostPathProblem(claim, storageClass, isHostPathEnabled);
  return { by: 'host path', storageClass, ...(problem === undefined ? {} : { problem }) };
}

const failed = (message: string): Provisioning => ({ by: 'no one', notice: provisioningFailed(message) });

export const provisioningFailed = (message: string): Notice => ({
  type: 'Warning',
  reason: 'ProvisioningFailed',
  message,
});

export const waitingFor = (driver: string): Notice => ({
  type: 'Normal',
  reason: 'ExternalProvisioning',
  message:
    `Waiting for a volume to be created either by the external provisioner '${driver}' or manually by the ` +
    'system administrator. If volume creation is delayed, please verify that the provisioner is running and ' +
    'correctly registered.',
});

/** Plugins that are known upstream, and make no volumes. */
const otherPlugins: ReadonlySet<string> = new Set([
  'kubernetes.io/csi',
  'kubernetes.io/fc',
  'kubernetes.io/iscsi',
  'kubernetes.io/local-volume',
  'kubernetes.io/nfs',
]);

const noProvisioning = (provisioner: string): string =>
  otherPlugins.has(provisioner) ? 'no provisionable volume plugin matched' : noPlugin(provisioner);

export const noPlugin = (provisioner: string): string => `no volume plugin matched name: ${provisioner}`;

function hostPathProblem(
  claim: PersistentVolumeClaim,
  { metadata, mountOptions = [] }: StorageClass,
  isEnabled: boolean,
): HostPathProblem | undefined {
  const problem = (message: string): HostPathProblem => ({ notice: provisioningFailed(message), isOfNode: false });
  if (mountOptions.length > 0)
    return problem(
      `Mount options are not supported by the provisioner but StorageClass "${metadata.name}" has mount options ` +
        `[${mountOptions.join(' ')}]`,
    );
  if (!isEnabled)
    return problem(`Failed to create provisioner: provisioning in volume plugin "${hostPathPlugin}" is disabled`);
  return modeOf(claim) === 'Block' ? { notice: notMade(metadata.name!, noBlocks), isOfNode: true } : undefined;
}

/** A folder could not be made. */
export const notMade = (className: string, why: string): Notice =>
  provisioningFailed(`Failed to provision volume with StorageClass "${className}": ${why}`);

const noBlocks = `${hostPathPlugin} does not support block volume provisioning`;
