/**
 * Server-side apply: merge the configuration, remove fields that its manager applied before, does not apply any more
 * and no other manager owns, and refuse a change of fields that another manager owns.
 * @see {@link https://kubernetes.io/docs/reference/using-api/server-side-apply/ | Server-Side Apply}
 */
import { jsonEqual } from '../members.ts';
import type { JsonObject, JsonValue } from '../value.ts';
import { compareObjects, type Comparison } from './compare.ts';
import { fieldSetOf, removeFields, withNamedParents } from './extract.ts';
import { FieldSet, type Path } from './field-set.ts';
import type { Manager, ManagerName, ManagerTable } from './manager-table.ts';
import { mergeValues } from './merge-values.ts';
import type { MergeType } from './merge-type.ts';
import type { FieldFilter, Versions } from './versions.ts';
import { removeDisowned } from './remove-disowned.ts';

/** Fields that another manager owns, and that the configuration would change. */
export interface Conflict {
  readonly id: string;
  readonly manager: ManagerName;
  readonly path: Path;
}

export class ApplyConflicts extends Error {
  override readonly name = 'ApplyConflicts';
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super(`${conflicts.length} conflicts`);
    this.conflicts = conflicts;
  }
}

export interface Application {
  /** As JSON, like the configuration. */
  readonly live: JsonObject;
  readonly config: JsonObject;
  readonly table: ManagerTable;
  readonly id: string;
  readonly manager: ManagerName;
  readonly force: boolean;
  readonly filter: FieldFilter;
  readonly versions: Versions;
}

export interface Applied {
  /** Undefined when the live object is the result. */
  readonly object: JsonObject | undefined;
  readonly table: Map<string, Manager>;
}

/** @throws ApplyConflicts unless forced. */
export function applyConfiguration(application: Application): Applied {
  const { live, config, id, manager, filter, versions } = application;
  const { type } = versions.current;
  const table = new Map(application.table);
  const last = table.get(id);
  table.set(id, { ...manager, fields: filter(fieldSetOf(type, config)), time: last?.time });
  const merged = mergeValues(type, live, config) as JsonObject;
  const object =
    last === undefined || last.fields.isEmpty || isWithin(type, last, table.get(id)!)
      ? merged
      : prune(merged, table, last, versions);
  const comparisons = versions.comparisons(live, object, filter, 'json');
  if (!application.force) refuseConflicts(table, id, comparisons);
  removeDisowned(table, id, comparisons);
  if (table.get(id)?.fields.isEmpty) table.delete(id);
  return { object: jsonEqual(live, object) ? undefined : object, table };
}

/** Whether the manager applies again what it applied before: then nothing can be lost. */
const isWithin = (type: MergeType, last: Manager, now: Manager): boolean =>
  last.apiVersion === now.apiVersion &&
  withNamedParents(type, last.fields).difference(withNamedParents(type, now.fields)).isEmpty;

function refuseConflicts(
  table: ManagerTable,
  self: string,
  comparisons: (apiVersion: string) => Comparison | undefined,
): void {
  const conflicts = [...table].flatMap(([id, manager]) => {
    const comparison = id === self ? undefined : comparisons(manager.apiVersion);
    if (comparison === undefined) return [];
    const taken = manager.fields.intersection(comparison.modified.union(comparison.added));
    return [...taken.paths()].map((path): Conflict => ({ id, manager, path }));
  });
  if (conflicts.length > 0) throw new ApplyConflicts(conflicts);
}

/** A value on its way through versions. */
interface Versioned {
  readonly value: JsonValue;
  readonly apiVersion: string;
}

/** The merged object without fields that the manager applied last and that have no owner now. */
function prune(merged: JsonObject, table: ManagerTable, last: Manager, versions: Versions): JsonObject {
  const version = last.apiVersion;
  const type = versions.typeOf(version);
  const whole = versions.convert(merged, versions.current.apiVersion, version);
  if (type === undefined || whole === undefined) return merged;
  const pruned = removeFields(type, whole, withNamedParents(type, last.fields));
  const owned = addBackOwned(
    { value: whole, apiVersion: version },
    { value: pruned, apiVersion: version },
    table,
    versions,
  );
  const rest = addBackDangling(whole, owned, last, versions);
  return (versions.convert(rest, version, versions.current.apiVersion) ?? merged) as JsonObject;
}

/** Restores fields that have an owner, version by version: the pruned one first, others may not convert without it. */
function addBackOwned(merged: Versioned, pruned: Versioned, table: ManagerTable, versions: Versions): Versioned {
  const owned = new Map<string, FieldSet>([[pruned.apiVersion, FieldSet.empty]]);
  for (const { apiVersion, fields } of table.values())
    owned.set(apiVersion, (owned.get(apiVersion) ?? FieldSet.empty).union(fields));
  let [whole, rest] = [merged, pruned];
  for (const [apiVersion, fields] of owned) {
    const type = versions.typeOf(apiVersion);
    const wholeHere = versions.convert(whole.value, whole.apiVersion, apiVersion);
    const restHere = versions.convert(rest.value, rest.apiVersion, apiVersion);
    if (type === undefined || wholeHere === undefined || restHere === undefined) continue;
    const lost = withNamedParents(type, fieldSetOf(type, wholeHere)).difference(
      withNamedParents(type, fieldSetOf(type, restHere)).union(withNamedParents(type, fields)),
    );
    whole = { value: wholeHere, apiVersion };
    rest = { value: removeFields(type, wholeHere, lost), apiVersion };
  }
  return rest;
}

/** Puts back what was lost without having been applied: only what was applied goes. */
function addBackDangling(merged: JsonValue, pruned: Versioned, last: Manager, versions: Versions): JsonValue {
  const type = versions.typeOf(last.apiVersion)!;
  const rest = versions.convert(pruned.value, pruned.apiVersion, last.apiVersion);
  if (rest === undefined) return merged;
  const lost = withNamedParents(type, fieldSetOf(type, merged)).difference(
    withNamedParents(type, fieldSetOf(type, rest)),
  );
  return removeFields(type, merged, lost.intersection(withNamedParents(type, last.fields)));
}

/** Fields of a configuration that the live object has with the same values. */
export function unchangedFields(live: JsonObject, config: JsonObject, versions: Versions): FieldSet {
  const { type } = versions.current;
  const { removed, modified, added } = compareObjects(type, config, live, 'json');
  return fieldSetOf(type, config).difference(modified).difference(added).difference(removed);
}
