/** Makes the file system of a volume as large as the volume has become, and says so in the claim. */
import type { PersistentVolumeClaim } from '../../../api/gen/types/core-v1.ts';
import { parseQuantity } from '../../../machinery/quantity.ts';
import type { ApiObjects } from '../../pods/api-objects.ts';
import { runtimeErrorText } from '../../runtime/container-runtime.ts';
import type { VolumeRequest } from '../volume-kind.ts';
import { capabilityOf } from './capability.ts';
import type { CsiDriverClient } from './csi-drivers.ts';
import type { CsiSource } from './csi-source.ts';

export interface Expansion {
  readonly client: () => CsiDriverClient;
  readonly objects: Pick<ApiObjects, 'claimExpanded'>;
  readonly paths: { readonly target: string; readonly staging: string };
  readonly secrets: () => Promise<Readonly<Record<string, string>>>;
  readonly event: (type: 'Normal' | 'Warning', reason: string, message: string) => void;
}

/** The size that the claim does not have yet; undefined when there is nothing to do. Pure. */
export function sizeToReach({ claim, persistent }: Pick<VolumeRequest, 'claim' | 'persistent'>): string | undefined {
  const wanted = persistent?.spec.capacity?.['storage'];
  const present = claim?.status?.capacity?.['storage'];
  if (wanted === undefined || present === undefined) return undefined;
  return parseQuantity(wanted).compare(parseQuantity(present)) > 0 ? wanted : undefined;
}

/** A failure is an event, and does not hold up the pod. */
export async function ensureExpanded(
  request: VolumeRequest,
  source: CsiSource,
  { client: clientOf, objects, paths, secrets, event }: Expansion,
): Promise<void> {
  const size = sizeToReach(request);
  if (size === undefined) return;
  try {
    const client = clientOf();
    const abilities = await client.abilities();
    if (abilities.has('EXPAND_VOLUME'))
      await client.calls.nodeExpandVolume(
        {
          volumeId: source.handle,
          volumePath: paths.target,
          stagingTargetPath: abilities.has('STAGE_UNSTAGE_VOLUME') ? paths.staging : '',
          capacityRange: { requiredBytes: parseQuantity(size).value() },
          volumeCapability: capabilityOf(source, { abilities }),
          secrets: await secrets(),
        },
        { signal: request.signal },
      );
    await objects.claimExpanded(request.claim!, size);
  } catch (error) {
    if (request.signal.aborted) return;
    const text = runtimeErrorText(error);
    event('Warning', 'VolumeResizeFailed', `MountVolume.NodeExpandVolume failed for volume "${source.name}" : ${text}`);
    return;
  }
  event('Normal', 'FileSystemResizeSuccessful', `MountVolume.NodeExpandVolume succeeded for volume "${source.name}" `);
}

/** The status of a claim whose volume has its size. Pure. */
export function expandedStatus(
  { status = {} }: Pick<PersistentVolumeClaim, 'status'>,
  size: string,
): NonNullable<PersistentVolumeClaim['status']> {
  const { allocatedResourceStatuses: _, ...rest } = status;
  const conditions = (status.conditions ?? []).filter(
    ({ type }) => type !== 'FileSystemResizePending' && type !== 'Resizing',
  );
  return { ...rest, capacity: { ...status.capacity, storage: size }, conditions };
}
