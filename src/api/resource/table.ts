import type { ObjectMeta } from '../../machinery/object-meta.ts';
import type { ResourceClaim, ResourceSlice } from '../gen/types/resource-v1beta1.ts';
import { ageCell } from '../table/cells.ts';

/** Classes and templates. */
export const nameCells = ({ metadata }: { readonly metadata: ObjectMeta }, now: Date): string[] => [
  metadata.name ?? '',
  ageCell(metadata.creationTimestamp, now),
];

export const resourceClaimCells = (claim: ResourceClaim, now: Date): string[] => [
  claim.metadata.name ?? '',
  stateOf(claim),
  ageCell(claim.metadata.creationTimestamp, now),
];

function stateOf({ metadata: { deletionTimestamp }, status: { allocation, reservedFor = [] } }: ResourceClaim): string {
  const states = deletionTimestamp === undefined ? [] : ['deleted'];
  if (allocation !== undefined) states.push('allocated', ...(reservedFor.length === 0 ? [] : ['reserved']));
  else if (deletionTimestamp === undefined) states.push('pending');
  return states.join(',');
}

export const resourceSliceCells = ({ metadata, spec }: ResourceSlice, now: Date): string[] => [
  metadata.name ?? '',
  spec.nodeName ?? '',
  spec.driver ?? '',
  spec.pool.name ?? '',
  ageCell(metadata.creationTimestamp, now),
];
