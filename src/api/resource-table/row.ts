/** The rows of the resource table: API groups, their resources, and subresources. */
/** By name of a field selector. */
export type FieldPaths = Readonly<Record<string, readonly string[]>>;

export interface ResourceRow {
  readonly name: string;
  readonly kind: string;
  readonly cluster?: true;
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs?: readonly Verb[];
  /** False for what is computed when read; what can only be created is never stored. */
  readonly storage?: false;
  /** apiVersion of the storage version. */
  readonly stored?: string;
  readonly prefix?: string;
  /** apiVersion in the storage version hash where it is not that of the storage version. */
  readonly hashedAs?: string;
  /** Field selectors besides metadata.name and metadata.namespace. */
  readonly fields?: readonly string[];
  /** Where the stored object has those of them that are named otherwise: the first of the paths that is not empty. */
  readonly fieldPaths?: FieldPaths;
  /** A delete that removes the object at once answers with the object instead of a Status. */
  readonly returnsDeleted?: true;
  readonly sub?: readonly SubresourceRow[];
}

export interface SubresourceRow {
  readonly name: string;
  /** Absent where it is the resource's own kind. */
  readonly kind?: string;
  /** Of the kind, where it is not that of the resource. */
  readonly apiVersion?: string;
  readonly verbs: readonly Verb[];
  /** Served while this gate is on. */
  readonly featureGate?: string;
}

export interface GroupVersionRow {
  readonly group: string;
  readonly version: string;
  /** Package of the types. */
  readonly types: string;
  /** Order of groups and of versions in discovery: higher comes first. */
  readonly priority: readonly [group: number, version: number];
  readonly enabledByDefault?: false;
  readonly resources: readonly ResourceRow[];
}

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

export const ALL_VERBS: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];
export const CREATE: readonly Verb[] = ['create'];
export const GET: readonly Verb[] = ['get'];
export const UPDATE: readonly Verb[] = ['update'];
export const CREATE_GET: readonly Verb[] = ['create', 'get'];
export const GET_PUT_PATCH: readonly Verb[] = ['get', 'patch', 'update'];
export const PROXY: readonly Verb[] = ['create', 'delete', 'get', 'patch', 'update'];
export const STATUS: SubresourceRow = { name: 'status', verbs: GET_PUT_PATCH };
export const SCALE: SubresourceRow = {
  name: 'scale',
  kind: 'Scale',
  apiVersion: 'autoscaling/v1',
  verbs: GET_PUT_PATCH,
};

/** Paths of fields of a reference that is stored under another name. */
export const referencePaths = (field: string, stored: string): FieldPaths =>
  Object.fromEntries(referenceFields(field).map((name) => [name, [name.replace(field, stored)]]));

export const referenceFields = (field: string): string[] =>
  ['apiVersion', 'fieldPath', 'kind', 'name', 'namespace', 'resourceVersion', 'uid'].map(
    (member) => `${field}.${member}`,
  );
