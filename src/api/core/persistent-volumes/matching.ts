/** Finds a volume that is there for a claim: the smallest that is large enough, and that its node can have. */
import type { Node, PersistentVolume, PersistentVolumeClaim } from '../../gen/types/core-v1.ts';
import { quantityOf } from '../resources/quantities.ts';
import { matchesLabels, requirementsOf } from '../../../machinery/label-selector.ts';
import type { Quantity } from '../../../machinery/quantity.ts';
import { nodeSelectorPredicate } from '../nodes/node-selector.ts';
import { classOf } from './class-of.ts';

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

export const sizeOf = ({ spec }: PersistentVolume): Quantity => quantityOf(spec.capacity?.['storage'] ?? '0');

export const modeOf = ({ spec }: PersistentVolume | PersistentVolumeClaim): string => spec.volumeMode ?? 'Filesystem';

/** Where and among which volumes a claim looks. */
export interface Choice {
  /** Of the pod; without it volumes of any node are suitable. */
  readonly node?: Node;
  /** Names of volumes that other claims of the pod get. */
  readonly taken?: ReadonlySet<string>;
  /** Volumes that are not kept for the claim have to wait for a node. */
  readonly isKeptOnly?: boolean;
}

export function matchVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  { node, taken, isKeptOnly = false }: Choice,
): PersistentVolume | undefined {
  const isWanted = claimConditions(claim);
  const isReachable = (volume: PersistentVolume): boolean => node === undefined || isOnNode(volume, node);
  const wanted = requestOf(claim);
  let smallest: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (taken?.has(volume.metadata.name ?? '') === true || sizeOf(volume).compare(wanted) < 0) continue;
    if (volume.spec.claimRef !== undefined && !isFor(volume, claim)) continue;
    if (modeOf(volume) !== modeOf(claim) || volume.metadata.deletionTimestamp !== undefined) continue;
    if (isFor(volume, claim)) return isReachable(volume) ? volume : undefined;
    if (isKeptOnly || !isWanted(volume) || !isReachable(volume)) continue;
    if (smallest === undefined || sizeOf(volume).compare(sizeOf(smallest)) < 0) smallest = volume;
  }
  return smallest;
}

/** The volume has all access modes of the claim. */
export const offersModes = ({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (claim.spec.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode) === true);

/** What the claim asks for beside size, mode and place. */
function claimConditions(claim: PersistentVolumeClaim): (volume: PersistentVolume) => boolean {
  const { selector, volumeAttributesClassName = '' } = claim.spec;
  const requirements = selector === undefined ? undefined : requirementsOf(selector);
  const className = classOf(claim);
  return (volume) =>
    volume.status.phase === 'Available' &&
    classOf(volume) === className &&
    (volume.spec.volumeAttributesClassName ?? '') === volumeAttributesClassName &&
    offersModes(volume, claim) &&
    (requirements === undefined || matchesLabels(requirements, volume.metadata.labels ?? {}));
}
