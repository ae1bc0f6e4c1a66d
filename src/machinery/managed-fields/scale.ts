/**
 * Ownership through the `scale` subresource: the manager that writes `spec.replicas` of a Scale owns the field that
 * holds the replicas of the scaled object.
 */
import type { ManagedFieldsEntry } from '../object-meta.ts';
import { FieldSet } from './field-set.ts';
import { managerId, readManagers, writeManagers, type Manager } from './manager-table.ts';
import { fieldElement } from './path-element.ts';

const SCALE_VERSION = 'autoscaling/v1';
const replicasOfScale = FieldSet.ofFields(['spec', 'replicas']);
const pathInScale = ['spec', 'replicas'].map(fieldElement);

export interface ScaledResource {
  /** The version in which the scaled object is changed. */
  readonly apiVersion: string;
  /** Path of the replicas in each version; undefined for one without replicas. A version not in it is gone. */
  readonly replicasPaths: ReadonlyMap<string, readonly string[] | undefined>;
}

/** The owners of the replicas, as managed fields of a Scale. */
export function managedFieldsOfScale(
  entries: readonly ManagedFieldsEntry[] | undefined,
  { replicasPaths }: ScaledResource,
): ManagedFieldsEntry[] | undefined {
  const owners = new Map<string, Manager>();
  for (const [id, manager] of readManagers(entries)) {
    const path = replicasPaths.get(manager.apiVersion);
    if (path !== undefined && manager.fields.has(path.map(fieldElement)))
      owners.set(id, { ...manager, apiVersion: SCALE_VERSION, fields: replicasOfScale, recorded: undefined });
  }
  return writeManagers(owners);
}

/**
 * The managed fields of the scaled object after its Scale was changed: managers that lost the replicas there lose them,
 * and managers that got them own them.
 *
 * @NOTE differs from upstream: a manager that keeps the replicas keeps its entry. Upstream finds it only for appliers,
 * and records an updater twice, of which the next decoding drops one.
 */
export function managedFieldsAfterScale(
  entries: readonly ManagedFieldsEntry[] | undefined,
  scaleEntries: readonly ManagedFieldsEntry[] | undefined,
  { apiVersion, replicasPaths }: ScaledResource,
): ManagedFieldsEntry[] | undefined {
  const takers = new Map(readManagers(scaleEntries));
  const owners = new Map<string, Manager>();
  for (const [id, manager] of readManagers(entries)) {
    if (!replicasPaths.has(manager.apiVersion)) continue;
    const path = replicasPaths.get(manager.apiVersion);
    const owns = path !== undefined && manager.fields.has(path.map(fieldElement));
    const kept =
      owns && !takers.delete(managerId({ ...manager, apiVersion: SCALE_VERSION }))
        ? withoutFields(manager, FieldSet.ofFields(path))
        : manager;
    if (!kept.fields.isEmpty) owners.set(id, kept);
  }
  const replicas = FieldSet.ofFields(replicasPaths.get(apiVersion) ?? []);
  for (const [id, manager] of takers) {
    if (manager.fields.has(pathInScale))
      owners.set(id, { ...manager, apiVersion, fields: replicas, recorded: undefined, time: undefined });
  }
  return writeManagers(owners);
}

const withoutFields = (manager: Manager, fields: FieldSet): Manager => ({
  ...manager,
  fields: manager.fields.difference(fields),
  recorded: undefined,
});
