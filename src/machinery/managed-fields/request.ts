/** What updates and applies have in common. */
import type { KubeObject, ManagedFieldsEntry } from '../object-meta.ts';
import { formatTime } from '../time.ts';
import { FieldSet } from './field-set.ts';
import type { Manager, ManagerName, ManagerTable, Operation } from './manager-table.ts';
import type { MergeType } from './merge-type.ts';
import { reconcileWithType } from './reconcile.ts';
import type { ValueEncoding } from './typed-value.ts';
import type { FieldFilter, Versions, VersionSource } from './versions.ts';

/** What ownership needs to know of a request. */
export interface OwnershipRequest {
  /** The object that is there, with its managedFields; undefined when there is none. */
  readonly live: KubeObject | undefined;
  /** Name of the manager: the `fieldManager` parameter, or the start of the user agent. */
  readonly manager: string;
  /** `''`, `status`, `scale`, … */
  readonly subresource: string;
  /** Of the request, and of `live` and the new object. */
  readonly apiVersion: string;
  /**
   * Type of both in that version: an id of the schema, or the merge type of a custom resource (`structural-types.ts`).
   */
  readonly typeId: string | MergeType;
  readonly now: Date;
  /**
   * Paths that this resource or subresource does not let the request change (`[['status']]`), or a filter that leaves
   * them out.
   */
  readonly resetFields?: readonly (readonly string[])[] | FieldFilter;
  /** Needed where managers can have written in another version. Without it, what they own is forgotten. */
  readonly versions?: VersionSource;
}

/** Fields that identify an object, and those that only the server writes, have no manager. */
export const unmanaged = FieldSet.ofFields(
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['metadata', name]),
);

export const nameOf = ({ manager, apiVersion, subresource }: OwnershipRequest, operation: Operation): ManagerName => ({
  manager: manager === '' ? 'unknown' : manager,
  operation,
  apiVersion,
  subresource,
});

/** Custom resources have no zero values: their objects are what JSON says. */
export const encodingOf = ({ typeId }: OwnershipRequest): ValueEncoding =>
  typeof typeId === 'string' ? 'normalized' : 'json';

export const hasUid = (live: KubeObject | undefined): boolean => (live?.metadata?.uid ?? '') !== '';

export const timeText = (now: Date): string => formatTime(Math.floor(now.getTime() / 1000));

export const withManagers = <T extends KubeObject>(object: T, managedFields: ManagedFieldsEntry[] | undefined): T => ({
  ...object,
  metadata: { ...object.metadata, managedFields },
});

/** Without what has become atomic since, and without managers of versions that are gone. */
export function reconcile(table: ManagerTable, versions: Versions): Map<string, Manager> {
  const reconciled = new Map<string, Manager>();
  for (const [id, manager] of table) {
    const type = versions.typeOf(manager.apiVersion);
    if (type === undefined) continue;
    const fields = reconcileWithType(type, manager.fields);
    reconciled.set(id, fields === manager.fields ? manager : { ...manager, fields, recorded: undefined });
  }
  return reconciled;
}

const filters = new WeakMap<readonly (readonly string[])[], FieldFilter>();
const keepAll: FieldFilter = (fields) => fields;

export function filterOf(resetFields: OwnershipRequest['resetFields']): FieldFilter {
  if (resetFields === undefined || resetFields.length === 0)
    return typeof resetFields === 'function' ? resetFields : keepAll;
  if (typeof resetFields === 'function') return resetFields;
  let filter = filters.get(resetFields);
  if (filter === undefined) {
    const excluded = FieldSet.ofFields(...resetFields);
    filter = (fields) => fields.recursiveDifference(excluded);
    filters.set(resetFields, filter);
  }
  return filter;
}
