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
  | { readonly by: 'host path'; readonly storageClass: StorageClass };

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
  const problem = hostPathProblem(claim, storageClass, isHostPathEnabled);
  return problem === undefined ? { by: 'host path', storageClass } : failed(problem);
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
): string | undefined {
  if (claim.spec.dataSource !== undefined)
    return `plugin "${hostPathPlugin}" is not a CSI plugin. Only CSI plugin can provision a claim with a datasource`;
  if (mountOptions.length > 0)
    return (
      `Mount options are not supported by the provisioner but StorageClass "${metadata.name}" has mount options ` +
      `[${mountOptions.join(' ')}]`
    );
  if (!isEnabled) return `Failed to create provisioner: provisioning in volume plugin "${hostPathPlugin}" is disabled`;
  if (modeOf(claim) !== 'Block') return undefined;
  return `Failed to provision volume with StorageClass "${metadata.name}": ${noBlocks}`;
}

const noBlocks = `${hostPathPlugin} does not support block volume provisioning`;
