/**
 * Who manages which field: the one place that writes `metadata.managedFields`.
 *
 * - `update` compares what a create, PUT or patch makes of an object with what was there; the fields that changed go
 *   to its manager. It belongs between defaulting and mutating admission: defaults belong to the client, what
 *   admission adds belongs to nobody.
 * - `apply` merges an applied configuration into the live object (server-side apply).
 *
 * Both take the live object and the new one in the API version of the request: field paths are paths of that
 * version. Neither changes what it is given.
 *
 * @see {@link https://kubernetes.io/docs/reference/using-api/server-side-apply/ | Server-Side Apply}
 */
import { keysOf, memberOf } from '../members.ts';
import { asJson, type KubeObject, type ManagedFieldsEntry } from '../object-meta.ts';
import type { SchemaRegistry } from '../schema.ts';
import { badRequest, plainError } from '../status.ts';
import { formatTime } from '../time.ts';
import { isObject, type JsonObject } from '../value.ts';
import { ApplyConflicts, applyConfiguration, unchangedFields, type Applied, type Conflict } from './apply.ts';
import { createBuiltInTypes, type BuiltInTypes } from './built-in-types.ts';
import { conflictError } from './conflict-error.ts';
import { FieldSet } from './field-set.ts';
import { jsonForm } from './json-form.ts';
import { lastAppliedOf, withLastApplied } from './last-applied.ts';
import { capUpdaters, managerId, noManagers, readManagers, writeManagers, type Manager, type ManagerName, type ManagerTable, type Operation } from './managed.ts';
import { withoutManagedFields, type MergeType } from './merge-type.ts';
import { reconcileWithType } from './reconcile.ts';
import { settle } from './settle.ts';
import { TypeMismatch, type Form } from './typed-value.ts';
import { validateConfiguration } from './validate.ts';
import { Versions, type FieldFilter, type VersionSource } from './versions.ts';

export type { FieldFilter, VersionSource } from './versions.ts';

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
  /** Type of both in that version: an id of the schema, or the merge type of a custom resource (`structural-types.ts`). */
  readonly typeId: string | MergeType;
  readonly now: Date;
  /** Paths that this resource or subresource does not let the request change (`[['status']]`), or a filter that leaves them out. */
  readonly resetFields?: readonly (readonly string[])[] | FieldFilter;
  /** Needed where managers can have written in another version. Without it, what they own is forgotten. */
  readonly versions?: VersionSource;
}

export interface UpdateRequest extends OwnershipRequest {
  /** As the request makes it, with defaults. Its managedFields count when the client sent some. */
  readonly object: KubeObject;
}

export interface ApplyRequest extends OwnershipRequest {
  readonly kind: string;
  /** The configuration as it was sent. */
  readonly config: JsonObject;
  /** Takes the fields that other managers own. */
  readonly force: boolean;
}

export interface ApplyResult {
  /**
   * The object after the configuration, with its managedFields. When `changed`, it is in JSON form with the
   * configuration's values as they were sent: it has to be decoded and defaulted. Else it is the live object.
   */
  readonly object: KubeObject;
  readonly changed: boolean;
}

export interface FieldManager {
  /**
   * The object with its managedFields. Where they cannot be told (a list item without its key), it has none, as
   * upstream has it.
   */
  update(request: UpdateRequest): KubeObject;
  /**
   * @throws StatusError 409 with a cause per field that another manager owns, 400 for another type or for
   * managedFields in the configuration, 500 for a configuration that does not fit the type.
   */
  apply(request: ApplyRequest): ApplyResult;
}

/** Nobody manages what identifies an object, and what only the server writes. */
const unmanaged = FieldSet.ofFields(
  ['apiVersion'], ['kind'], ['metadata'],
  ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName', 'generation', 'managedFields', 'resourceVersion'].map((name) => ['metadata', name]),
);

const BEFORE_FIRST_APPLY = 'before-first-apply';
/** The manager whose applies take over from client-side apply. */
const KUBECTL = 'kubectl';

export function createFieldManager({ schemas }: { schemas: SchemaRegistry }): FieldManager {
  const manager = new Ownership(createBuiltInTypes(schemas));
  return { update: (request) => manager.update(request), apply: (request) => manager.apply(request) };
}

class Ownership {
  private readonly types: BuiltInTypes;
  /** Types of whole objects: the managed fields themselves are left out. */
  private readonly roots = new Map<string, MergeType>();

  constructor(types: BuiltInTypes) {
    this.types = types;
  }

  update(request: UpdateRequest): KubeObject {
    const table = tableForUpdate(request);
    if (table.size === 0 && hasUid(request.live)) return withManagers(request.object, undefined);
    try {
      const versions = this.versionsOf(request);
      return withManagers(request.object, writeManagers(track(request, request.object, nameOf(request, 'Update'), reconcile(table, versions), versions)));
    } catch (error) {
      if (error instanceof TypeMismatch) return withManagers(request.object, undefined);
      throw error;
    }
  }

  apply(request: ApplyRequest): ApplyResult {
    checkConfiguration(request);
    const recorded = tableForApply(request.live);
    const versions = this.versionsOf(request);
    failing(`failed to create typed patch object (${describe(request.config)})`, () => validateConfiguration(versions.current.type, request.config));
    return failing('failed to merge config', () => {
      const live = liveForm(request, versions.current.type);
      return finish(request, applyTo(request, live, recorded, versions), live);
    });
  }

  private versionsOf(request: OwnershipRequest): Versions {
    return new Versions({ apiVersion: request.apiVersion, type: this.rootOf(request.typeId) }, request.versions, this.rootOf, formOf(request));
  }

  private readonly rootOf = (type: string | MergeType): MergeType => {
    if (typeof type !== 'string') return type;
    let root = this.roots.get(type);
    if (root === undefined) {
      root = withoutManagedFields(this.types.of(type));
      this.roots.set(type, root);
    }
    return root;
  };
}

const nameOf = ({ manager, apiVersion, subresource }: OwnershipRequest, operation: Operation): ManagerName => ({ manager: manager === '' ? 'unknown' : manager, operation, apiVersion, subresource });

/** Custom resources have no zero values: their objects are what JSON says. */
const formOf = ({ typeId }: OwnershipRequest): Form => (typeof typeId === 'string' ? 'normal' : 'json');

const hasUid = (live: KubeObject | undefined): boolean => (live?.metadata?.uid ?? '') !== '';

const timeText = (now: Date): string => formatTime(Math.floor(now.getTime() / 1000));

const withManagers = <T extends KubeObject>(object: T, managedFields: ManagedFieldsEntry[] | undefined): T => ({ ...object, metadata: { ...object.metadata, managedFields } });

/**
 * The owners a change starts from. A client that knows managedFields may send them changed; one that does not must
 * not delete them by leaving them out; an empty list, or one empty entry, resets them. Subresources cannot set them.
 */
function tableForUpdate({ live, object, subresource }: UpdateRequest): ManagerTable {
  const sent = object.metadata?.managedFields;
  if (subresource === '' && sent !== undefined) {
    if (sent.length === 0 || (sent.length === 1 && keysOf(sent[0] as JsonObject).length === 0)) return noManagers;
    const table = readOrNothing(sent);
    if (table.size > 0) return table;
  }
  return readOrNothing(live?.metadata?.managedFields);
}

function readOrNothing(entries: readonly ManagedFieldsEntry[] | undefined): ManagerTable {
  try {
    return readManagers(entries);
  } catch {
    return noManagers;
  }
}

function tableForApply(live: KubeObject | undefined): ManagerTable {
  try {
    return readManagers(live?.metadata?.managedFields);
  } catch (error) {
    throw plainError(`failed to decode managed fields: ${(error as Error).message}`);
  }
}

/** Without what has become atomic since, and without managers of versions that are gone. */
function reconcile(table: ManagerTable, versions: Versions): Map<string, Manager> {
  const reconciled = new Map<string, Manager>();
  for (const [id, manager] of table) {
    const type = versions.typeOf(manager.apiVersion);
    if (type === undefined) continue;
    const fields = reconcileWithType(type, manager.fields);
    reconciled.set(id, fields === manager.fields ? manager : { ...manager, fields, recorded: undefined });
  }
  return reconciled;
}

/** The table after the change from the live object, or from nothing, to `object`. */
function track(request: OwnershipRequest, object: KubeObject, name: ManagerName, table: ManagerTable, versions: Versions): Map<string, Manager> {
  const comparisons = versions.comparisons(comparable(request, request.live ?? {}), comparable(request, object), filterOf(request.resetFields), formOf(request));
  const tracked = new Map(table);
  settle(tracked, undefined, comparisons);
  const { removed, modified, added } = comparisons(request.apiVersion)!;
  const taken = modified.union(added).difference(unmanaged);
  const id = managerId(name);
  if (!taken.isEmpty) tracked.set(id, taking(name, table.get(id), taken, removed, timeText(request.now)));
  capUpdaters(tracked);
  return tracked;
}

/** The managed fields themselves are not compared; a built-in type leaves them out. */
const comparable = (request: OwnershipRequest, object: KubeObject): JsonObject => asJson(formOf(request) === 'normal' ? object : withManagers(object, undefined));

function taking(name: ManagerName, previous: Manager | undefined, taken: FieldSet, removed: FieldSet, time: string): Manager {
  const fields = previous === undefined ? taken : previous.fields.difference(removed).union(taken);
  return { ...name, fields, time, recorded: fields === previous?.fields ? previous.recorded : undefined };
}

const filters = new WeakMap<readonly (readonly string[])[], FieldFilter>();
const keepAll: FieldFilter = (fields) => fields;

function filterOf(resetFields: OwnershipRequest['resetFields']): FieldFilter {
  if (resetFields === undefined || resetFields.length === 0) return typeof resetFields === 'function' ? resetFields : keepAll;
  if (typeof resetFields === 'function') return resetFields;
  let filter = filters.get(resetFields);
  if (filter === undefined) {
    const excluded = FieldSet.ofFields(...resetFields);
    filter = (fields) => fields.recursiveDifference(excluded);
    filters.set(resetFields, filter);
  }
  return filter;
}

function checkConfiguration({ apiVersion, kind, config }: ApplyRequest): void {
  const type = typeText(config);
  if (type !== typeText({ apiVersion, kind })) throw badRequest(`invalid object type: ${type}`);
  const metadata = memberOf(config, 'metadata');
  if (isObject(metadata) && Array.isArray(memberOf(metadata, 'managedFields'))) throw badRequest('metadata.managedFields must be nil');
}

/** `/v1, Kind=Pod`, `apps/v1, Kind=Deployment`. */
function typeText(object: JsonObject): string {
  const [apiVersion, kind] = [textOf(object, 'apiVersion'), textOf(object, 'kind')];
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

const textOf = (object: JsonObject, name: string): string => {
  const value = memberOf(object, name);
  return typeof value === 'string' ? value : '';
};

/** How messages name the object: `default/web; apps/v1, Kind=Deployment`. */
function describe(config: JsonObject): string {
  const metadata = memberOf(config, 'metadata');
  const named = isObject(metadata) ? metadata : {};
  return `${textOf(named, 'namespace')}/${textOf(named, 'name')}; ${typeText(config)}`;
}

function failing<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof TypeMismatch) throw plainError(`${what}: ${error.message}`);
    throw error;
  }
}

/** The live object as the configuration can be merged into it; one that is not there yet has its zero values. */
function liveForm(request: ApplyRequest, type: MergeType): JsonObject {
  const { live, apiVersion, kind } = request;
  const object = { ...withManagers(live ?? {}, undefined), apiVersion, kind };
  if (formOf(request) === 'normal') return jsonForm(type, asJson(object)) as JsonObject;
  return live === undefined ? { apiVersion, kind } : asJson(object);
}

function applyTo(request: ApplyRequest, live: JsonObject, recorded: ManagerTable, versions: Versions): Applied {
  const manager = nameOf(request, 'Apply');
  const table = recorded.size === 0 && request.live !== undefined ? beforeFirstApply(request, request.live, versions) : reconcile(recorded, versions);
  const application = { live, config: request.config, table, id: managerId(manager), manager, force: request.force, filter: filterOf(request.resetFields), versions };
  try {
    return applyConfiguration(application);
  } catch (error) {
    if (!(error instanceof ApplyConflicts)) throw error;
    const refused = request.manager === KUBECTL ? conflictsBeyondLastApplied(error.conflicts, live, versions) : error.conflicts;
    if (refused.length > 0) throw conflictError(refused);
    return applyConfiguration({ ...application, force: true });
  }
}

/** What an object had before anyone was recorded gets an owner too: applying it would be a conflict with nobody. */
function beforeFirstApply(request: ApplyRequest, live: KubeObject, versions: Versions): ManagerTable {
  return track({ ...request, live: undefined }, live, { ...nameOf(request, 'Update'), manager: BEFORE_FIRST_APPLY }, noManagers, versions);
}

/**
 * Fields that the live object has as `kubectl apply` left them are its own: kubectl may take them over without force.
 */
function conflictsBeyondLastApplied(conflicts: readonly Conflict[], live: JsonObject, versions: Versions): readonly Conflict[] {
  const allowed = fieldsOfLastApplied(live, versions);
  return allowed === undefined ? conflicts : conflicts.filter(({ path }) => !allowed.has(path));
}

function fieldsOfLastApplied(live: JsonObject, versions: Versions): FieldSet | undefined {
  const config = lastAppliedOf(live as KubeObject);
  if (config === undefined || textOf(config, 'apiVersion') !== versions.current.apiVersion) return undefined;
  try {
    validateConfiguration(versions.current.type, live);
    validateConfiguration(versions.current.type, config);
    return unchangedFields(live, config, versions);
  } catch (error) {
    if (error instanceof TypeMismatch) return undefined;
    throw error;
  }
}

function finish(request: ApplyRequest, { object, table }: Applied, live: JsonObject): ApplyResult {
  const id = managerId(nameOf(request, 'Apply'));
  const own = table.get(id);
  const fields = own?.fields.difference(unmanaged);
  if (fields?.isEmpty) table.delete(id);
  else if (fields !== undefined) table.set(id, { ...own!, fields, time: object === undefined ? own!.time : timeText(request.now) });
  const result = (object ?? request.live ?? live) as KubeObject;
  const annotated = request.manager === KUBECTL ? withLastApplied(result, request.config) : result;
  return { object: withManagers(annotated, writeManagers(table)), changed: object !== undefined };
}
