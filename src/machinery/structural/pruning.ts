/**
 * Removes what a schema does not know.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning |
 *   Field pruning}
 */
import { keysOf } from '../members.ts';
import { isObject, type JsonObject, type JsonValue } from '../value.ts';
import { identityMembers, type Structural } from './schema.ts';

/** Upstream stops collecting there. */
const maxPaths = 100;
/** Of these the first in order are told. */
const maxCollected = 10_000;

/** Changes `value`. The paths of what was removed: `spec.list[0].odd`. */
export function prune(value: JsonValue, schema: Structural): string[] {
  const removed: string[] = [];
  pruneValue(value, schema, '', removed);
  return removed.sort().slice(0, maxPaths);
}

function pruneValue(
  value: JsonValue | undefined,
  schema: Structural | undefined,
  path: string,
  removed: string[],
): void {
  if (Array.isArray(value)) value.forEach((item, i) => pruneValue(item, schema?.items, `${path}[${i}]`, removed));
  else if (isObject(value)) pruneMembers(value, schema, path, removed);
}

function pruneMembers(object: JsonObject, schema: Structural | undefined, path: string, removed: string[]): void {
  for (const name of keysOf(object)) {
    if (schema?.embedded === true && identityMembers.has(name)) continue;
    const at = path === '' ? name : `${path}.${name}`;
    const known = schema?.properties.get(name) ?? schema?.additional;
    // What may be anything has no shape of its own: objects in it lose their members, as upstream has it.
    if (known !== undefined) pruneValue(object[name], known === true ? undefined : known, at, removed);
    else if (schema?.preserve !== true) {
      if (removed.length < maxCollected) removed.push(at);
      delete object[name];
    }
  }
}
