import type { Comparison } from './compare.ts';
import type { Manager } from './manager-table.ts';

/**
 * Takes from every other manager what the change took: fields with a new value, and fields that are gone. Managers
 * with nothing left, and those of a version that is gone, leave the table.
 */
export function removeDisowned(
  table: Map<string, Manager>,
  self: string | undefined,
  comparisons: (apiVersion: string) => Comparison | undefined,
): void {
  for (const [id, manager] of table) {
    if (id === self) continue;
    const comparison = comparisons(manager.apiVersion);
    const fields =
      comparison &&
      manager.fields.difference(comparison.modified).difference(comparison.added).difference(comparison.removed);
    if (fields === undefined || fields.isEmpty) table.delete(id);
    else if (fields !== manager.fields) table.set(id, { ...manager, fields, recorded: undefined });
  }
}
