/** Field ownership of objects that are changed through their Scale. */
import {
  managedFieldsAfterScale,
  managedFieldsOfScale,
  type ScaledResource,
} from '../../machinery/managed-fields/scale.ts';
import { type KubeObject, type ManagedFieldsEntry, metaOf } from '../../machinery/object-meta.ts';
import type { ServedResource } from '../served/served-resource.ts';

/** A Scale shows a part of the object behind it. */
export const isScale = ({ servedVersion, info }: ServedResource): boolean => servedVersion.kind !== info.kind;

/** Versions in which the replicas of what can be scaled may be owned. */
const scaledVersions: Readonly<Record<string, readonly string[]>> = {
  '': ['v1'],
  apps: ['apps/v1beta1', 'apps/v1beta2', 'apps/v1'],
};

const replicas = ['spec', 'replicas'];

function scaledResource({ servedVersions, info }: ServedResource): ScaledResource {
  const replicasPaths =
    servedVersions.get(info.apiVersion)?.custom?.replicasPaths ??
    new Map((scaledVersions[info.group] ?? [info.apiVersion]).map((version) => [version, replicas]));
  return { apiVersion: info.apiVersion, replicasPaths };
}

/** What is shown of a stored object; a Scale with those who own the replicas. */
export function withManagedFields(served: ServedResource, shown: KubeObject, stored: KubeObject): KubeObject {
  if (!isScale(served)) return shown;
  const managedFields = managedFieldsOfScale(stored.metadata?.managedFields, scaledResource(served));
  return managedFields === undefined ? shown : { ...shown, metadata: { ...metaOf(shown), managedFields } };
}

/** The managed fields of the object behind a Scale, after those of the Scale became these. */
export const managedFieldsOfScaled = (
  served: ServedResource,
  stored: KubeObject,
  ofScale: ManagedFieldsEntry[] | undefined,
): ManagedFieldsEntry[] | undefined =>
  managedFieldsAfterScale(stored.metadata?.managedFields, ofScale, scaledResource(served));
