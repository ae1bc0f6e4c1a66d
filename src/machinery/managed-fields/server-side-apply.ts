/**
 * An applied configuration from request to result: checks, the live object as JSON, conflicts, the managers after it.
 */
import { memberOf } from '../members.ts';
import { asJson, type KubeObject } from '../object-meta.ts';
import { badRequest, plainError } from '../status.ts';
import { isObject, type JsonObject } from '../value.ts';
import { ApplyConflicts, applyConfiguration, unchangedFields, type Applied, type Conflict } from './apply.ts';
import { conflictError } from './conflict-error.ts';
import type { FieldSet } from './field-set.ts';
import { jsonEncoded } from './json-encoder.ts';
import { lastAppliedOf, withLastApplied } from './last-applied.ts';
import { managerId, noManagers, readManagers, writeManagers, type ManagerTable } from './manager-table.ts';
import type { MergeType } from './merge-type.ts';
import {
  filterOf,
  encodingOf,
  nameOf,
  reconcile,
  timeText,
  unmanaged,
  withManagers,
  type OwnershipRequest,
} from './request.ts';
import { TypeMismatch } from './typed-value.ts';
import { track } from './update.ts';
import { validateConfiguration } from './validate.ts';
import type { Versions } from './versions.ts';

export interface ApplyRequest extends OwnershipRequest {
  readonly kind: string;
  /** The configuration as it was sent. */
  readonly config: JsonObject;
  /** Takes the fields that other managers own. */
  readonly force: boolean;
}

export interface ApplyResult {
  /**
   * The object after the configuration, with its managedFields. When `changed`, it is a JSON value with the
   * configuration's values as they were sent: it has to be decoded and defaulted. Otherwise it is the live object.
   */
  readonly object: KubeObject;
  readonly changed: boolean;
}

const BEFORE_FIRST_APPLY = 'before-first-apply';
/** The manager whose applies take over from client-side apply. */
const KUBECTL = 'kubectl';

export function applyRequest(request: ApplyRequest, versions: Versions): ApplyResult {
  checkConfiguration(request);
  const recorded = tableForApply(request.live);
  const { type } = versions.current;
  failing(`failed to create typed patch object (${describe(request.config)})`, () =>
    validateConfiguration(type, request.config),
  );
  return failing('failed to merge config', () => {
    const live = liveEncoded(request, type);
    return finish(request, applyTo(request, live, recorded, versions), live);
  });
}

function tableForApply(live: KubeObject | undefined): ManagerTable {
  try {
    return readManagers(live?.metadata?.managedFields);
  } catch (error) {
    throw plainError(`failed to decode managed fields: ${(error as Error).message}`);
  }
}

function checkConfiguration({ apiVersion, kind, config }: ApplyRequest): void {
  const type = typeText(config);
  if (type !== typeText({ apiVersion, kind })) throw badRequest(`invalid object type: ${type}`);
  const metadata = memberOf(config, 'metadata');
  if (isObject(metadata) && Array.isArray(memberOf(metadata, 'managedFields')))
    throw badRequest('metadata.managedFields must be nil');
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
function liveEncoded(request: ApplyRequest, type: MergeType): JsonObject {
  const { live, apiVersion, kind } = request;
  const object = { ...withManagers(live ?? {}, undefined), apiVersion, kind };
  if (encodingOf(request) === 'normalized') return jsonEncoded(type, asJson(object)) as JsonObject;
  return live === undefined ? { apiVersion, kind } : asJson(object);
}

function applyTo(request: ApplyRequest, live: JsonObject, recorded: ManagerTable, versions: Versions): Applied {
  const manager = nameOf(request, 'Apply');
  const table =
    recorded.size === 0 && request.live !== undefined
      ? beforeFirstApply(request, request.live, versions)
      : reconcile(recorded, versions);
  const application = {
    live,
    config: request.config,
    table,
    id: managerId(manager),
    manager,
    force: request.force,
    filter: filterOf(request.resetFields),
    versions,
  };
  try {
    return applyConfiguration(application);
  } catch (error) {
    if (!(error instanceof ApplyConflicts)) throw error;
    const refused =
      request.manager === KUBECTL ? conflictsBeyondLastApplied(error.conflicts, live, versions) : error.conflicts;
    if (refused.length > 0) throw conflictError(refused);
    return applyConfiguration({ ...application, force: true });
  }
}

/** Fields from before managers were recorded get an owner too: without one, applying them could not be a conflict. */
function beforeFirstApply(request: ApplyRequest, live: KubeObject, versions: Versions): ManagerTable {
  return track(
    { ...request, live: undefined },
    live,
    { ...nameOf(request, 'Update'), manager: BEFORE_FIRST_APPLY },
    noManagers,
    versions,
  );
}

/**
 * Fields that the live object has as `kubectl apply` left them are its own: kubectl may take them over without force.
 */
function conflictsBeyondLastApplied(
  conflicts: readonly Conflict[],
  live: JsonObject,
  versions: Versions,
): readonly Conflict[] {
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
  else if (fields !== undefined)
    table.set(id, { ...own!, fields, time: object === undefined ? own!.time : timeText(request.now) });
  const result = (object ?? request.live ?? live) as KubeObject;
  const annotated = request.manager === KUBECTL ? withLastApplied(result, request.config) : result;
  return { object: withManagers(annotated, writeManagers(table)), changed: object !== undefined };
}
