/** Finds a volume that is there for a claim: the smallest that is large enough, and that the node can have. */
import type { Node, PersistentVolume, PersistentVolumeClaim } from '../../../api/gen/types/core-v1.ts';
import { quantityOf } from '../../../api/core/resources/quantities.ts';
import { matchesLabels, requirementsOf } from '../../../machinery/label-selector.ts';
import type { Quantity } from '../../../machinery/quantity.ts';
import { nodeSelectorPredicate } from '../../../api/core/nodes/node-selector.ts';
import { classOf } from '../volumes/storage-reader.ts';

export function isOnNode({ spec }: PersistentVolume, node: Node): boolean {
  const required = spec.nodeAffinity?.required;
  return required === undefined || nodeSelectorPredicate(required)(node);
}

/** The volume is kept for the claim. */
export function isFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { claimRef } = spec;
  if (claimRef?.name !== metadata.name || claimRef?.namespace !== metadata.namespace) return false;
  return (claimRef?.uid ?? '') === '' || claimRef?.uid === metadata.uid;
}

export const requestOf = ({ spec }: PersistentVolumeClaim): Quantity =>
  quantityOf(spec.resources.requests?.['storage'] ?? '0');

const sizeOf = ({ spec }: PersistentVolume): Quantity => quantityOf(spec.capacity?.['storage'] ?? '0');

/** @param taken names of volumes that other claims of the pod get */
export function matchVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  node: Node,
  taken: ReadonlySet<string>,
): PersistentVolume | undefined {
  const isWanted = claimConditions(claim);
  const wanted = requestOf(claim);
  let smallest: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (taken.has(volume.metadata.name ?? '') || sizeOf(volume).compare(wanted) < 0) continue;
    if (volume.spec.claimRef !== undefined && !isFor(volume, claim)) continue;
    if ((volume.spec.volumeMode ?? 'Filesystem') !== (claim.spec.volumeMode ?? 'Filesystem')) continue;
    if (volume.metadata.deletionTimestamp !== undefined) continue;
    if (isFor(volume, claim)) return isOnNode(volume, node) ? volume : undefined;
    if (!isWanted(volume) || !isOnNode(volume, node)) continue;
    if (smallest === undefined || sizeOf(volume).compare(sizeOf(smallest)) < 0) smallest = volume;
  }
  return smallest;
}

/** What the claim asks for beside size, mode and place. */
function claimConditions(claim: PersistentVolumeClaim): (volume: PersistentVolume) => boolean {
  const { selector, accessModes = [], volumeAttributesClassName = '' } = claim.spec;
  const requirements = selector === undefined ? undefined : requirementsOf(selector);
  const className = classOf(claim);
  return (volume) =>
    volume.status.phase === 'Available' &&
    classOf(volume) === className &&
    (volume.spec.volumeAttributesClassName ?? '') === volumeAttributesClassName &&
    accessModes.every((mode) => volume.spec.accessModes?.includes(mode) === true) &&
    (requirements === undefined || matchesLabels(requirements, volume.metadata.labels ?? {}));
}
