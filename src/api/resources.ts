/** The built-in resources: what discovery, routing, storage and OpenAPI need to know about each. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../machinery/value.ts';
import { isGateOn, type GateSettings } from './feature-gates.ts';
import { TABLE } from './resource-table/index.ts';
import {
  ALL_VERBS,
  type FieldPaths,
  type GroupVersionRow,
  type ResourceRow,
  type SubresourceRow,
  type Verb,
} from './resource-table/row.ts';

export type { Verb } from './resource-table/row.ts';

export interface GroupVersionInfo {
  /** '' for core. */
  readonly group: string;
  readonly version: string;
  /** `apps/v1`, `v1` */
  readonly apiVersion: string;
  /** Package of the types in {@link schemas}: `apps/v1`, `core/v1`. */
  readonly types: string;
  /** Discovery lists higher ones first: groups by `groupPriority`, the versions of a group by `versionPriority`. */
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** False for what only `--runtime-config` turns on. */
  readonly enabledByDefault: boolean;
  /** Its resources come from definitions. */
  readonly isCustom?: boolean;
  /** Another server answers it: its resources are known as far as it told. */
  readonly remote?: RemoteDiscovery;
  readonly resources: readonly ResourceInfo[];
}

export interface RemoteDiscovery {
  /** Stale: the server did not answer when it was asked last. */
  readonly freshness: 'Current' | 'Stale';
  /** As in aggregated discovery. */
  readonly resources?: readonly JsonObject[];
}

export interface ResourceInfo {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  /** Plural, as in paths. */
  readonly name: string;
  readonly kind: string;
  /** Absent where there is nothing to list. */
  readonly listKind?: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  /**
   * Type id: `apps/v1.Deployment`; of a custom resource `custom:com.example.v1.Widget`, with the name of its definition
   * in OpenAPI.
   */
  readonly type: string;
  readonly subresources: readonly SubresourceInfo[];
  /** A delete that removes the object at once answers with the object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** OpenAPI schema of the objects of a custom resource. */
  readonly schema?: JsonObject;
  /** Absent for what is never stored. */
  readonly storage?: StorageInfo;
}

export interface SubresourceInfo {
  readonly name: string;
  /** Kind of the body, and its apiVersion: for most the resource's own. */
  readonly kind: string;
  readonly apiVersion: string;
  readonly verbs: readonly Verb[];
  /** Served while this gate is on. */
  readonly featureGate?: string;
}

export interface StorageInfo {
  /** apiVersion of the storage version. */
  readonly apiVersion: string;
  /** Keys are `<storage prefix>/<prefix>[/<namespace>]/<name>`. */
  readonly prefix: string;
  /** apiVersion that the storage version hash is made of. */
  readonly hashedAs: string;
  /** Labels that `fieldSelector` accepts, sorted. */
  readonly fieldSelectors: readonly string[];
  /** Where stored objects have those that are no paths themselves. */
  readonly fieldPaths?: FieldPaths;
}

export const groupVersions: readonly GroupVersionInfo[] = TABLE.map(expandGroupVersion);

const byApiVersion = new Map(groupVersions.map((info) => [info.apiVersion, info]));

export const findGroupVersion = (apiVersion: string): GroupVersionInfo | undefined => byApiVersion.get(apiVersion);

export const resourcesOf = (apiVersion: string): readonly ResourceInfo[] =>
  byApiVersion.get(apiVersion)?.resources ?? [];

/** By plural name. */
export const findResource = (apiVersion: string, name: string): ResourceInfo | undefined =>
  resourcesOf(apiVersion).find((resource) => resource.name === name);

/** By kind of the resource itself, not of its subresources. */
export const findKind = (apiVersion: string, kind: string): ResourceInfo | undefined =>
  resourcesOf(apiVersion).find((resource) => resource.kind === kind);

export const findSubresource = (resource: ResourceInfo, name: string): SubresourceInfo | undefined =>
  resource.subresources.find((subresource) => subresource.name === name);

/** The resource without the subresources that a gate hides. */
export function gated(resource: ResourceInfo, gates: GateSettings = {}): ResourceInfo {
  const shown = resource.subresources.filter(
    ({ featureGate }) => featureGate === undefined || isGateOn(featureGate, gates),
  );
  return shown.length === resource.subresources.length ? resource : { ...resource, subresources: shown };
}

/**
 * What discovery shows so that clients notice a change of the storage version: the start of a SHA-256 of its group,
 * version and kind.
 */
export function storageVersionHash(apiVersion: string, kind: string): string {
  const path = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  return createHash('sha256').update(`${path}/${kind}`).digest().subarray(0, 8).toString('base64');
}

/** `apps/v1`, and `v1` for the core group. */
export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

function expandGroupVersion(row: GroupVersionRow): GroupVersionInfo {
  return {
    group: row.group,
    version: row.version,
    apiVersion: apiVersionOf(row.group, row.version),
    types: row.types,
    groupPriority: row.priority[0],
    versionPriority: row.priority[1],
    enabledByDefault: row.enabledByDefault ?? true,
    resources: row.resources.map((resource) => expandResource(row, resource)),
  };
}

function expandResource(home: GroupVersionRow, row: ResourceRow): ResourceInfo {
  const apiVersion = apiVersionOf(home.group, home.version);
  const verbs = row.verbs ?? ALL_VERBS;
  const storage = row.storage === false || !verbs.includes('list') ? undefined : expandStorage(apiVersion, row);
  return {
    group: home.group,
    version: home.version,
    apiVersion,
    name: row.name,
    kind: row.kind,
    ...(verbs.includes('list') && { listKind: `${row.kind}List` }),
    singular: row.kind.toLowerCase(),
    shortNames: row.short ?? [],
    categories: row.categories ?? [],
    namespaced: !row.cluster,
    verbs,
    type: `${home.types}.${row.kind}`,
    returnsDeleted: row.returnsDeleted ?? false,
    subresources: (row.sub ?? []).map((subresource) => expandSubresource(apiVersion, row.kind, subresource)),
    ...(storage && { storage }),
  };
}

function expandStorage(apiVersion: string, row: ResourceRow): StorageInfo {
  const stored = row.stored ?? apiVersion;
  return {
    apiVersion: stored,
    prefix: row.prefix ?? row.name,
    hashedAs: row.hashedAs ?? stored,
    fieldSelectors: ['metadata.name', ...(row.cluster ? [] : ['metadata.namespace']), ...(row.fields ?? [])].sort(),
    ...(row.fieldPaths && { fieldPaths: row.fieldPaths }),
  };
}

function expandSubresource(apiVersion: string, kind: string, row: SubresourceRow): SubresourceInfo {
  return {
    name: row.name,
    kind: row.kind ?? kind,
    apiVersion: row.apiVersion ?? apiVersion,
    verbs: row.verbs,
    ...(row.featureGate !== undefined && { featureGate: row.featureGate }),
  };
}
