/**
 * Merging an applied configuration into the live object: what the configuration says wins, the rest stays. Items of
 * associative lists are merged one by one; the configuration's order wins among the items it names.
 *
 * Takes JSON values; inputs are not changed, the result shares what was not merged with both.
 */
import { createMap, isObject, type JsonObject, type JsonValue } from '../value.ts';
import { keysOf, memberOf } from '../members.ts';
import { memberType, type ListType, type MapType, type MergeType } from './merge-type.ts';
import { itemId, kindOf, type ItemId } from './typed-value.ts';

/** `live` with `config` merged into it; undefined when nothing is left. */
export function mergeValues(
  type: MergeType,
  live: JsonValue | undefined,
  config: JsonValue | undefined,
): JsonValue | undefined {
  if (live === undefined || config === undefined) return config ?? live;
  const kind = kindOf(type, config);
  if (kindOf(type, live) !== kind) return mergeAs(kind, type, kind === 'scalar' ? live : null, config);
  return mergeAs(kind, type, live, config);
}

function mergeAs(
  kind: ReturnType<typeof kindOf>,
  type: MergeType,
  live: JsonValue,
  config: JsonValue,
): JsonValue | undefined {
  if (kind === 'map')
    return mergeMaps(type.map!, isObject(live) ? live : null, isObject(config) ? config : null, config);
  if (kind === 'list')
    return mergeLists(type.list!, Array.isArray(live) ? live : null, Array.isArray(config) ? config : null, config);
  return config;
}

function mergeMaps(
  map: MapType,
  live: JsonObject | null,
  config: JsonObject | null,
  whole: JsonValue,
): JsonValue | undefined {
  const names = config === null ? [] : keysOf(config);
  if (map.atomic || (names.length === 0 && (live === null || keysOf(live).length === 0))) return whole;
  if (live === null) return config!;
  if (names.length === 0) return live;
  const merged: JsonObject = createMap<JsonValue | undefined>();
  for (const name of keysOf(live)) merged[name] = memberOf(live, name);
  for (const name of names) merged[name] = mergeValues(memberType(map, name)!, merged[name], memberOf(config!, name));
  return merged;
}

function mergeLists(
  list: ListType,
  live: JsonValue[] | null,
  config: JsonValue[] | null,
  whole: JsonValue,
): JsonValue | undefined {
  const [liveCount, configCount] = [live?.length ?? 0, config?.length ?? 0];
  if (!list.associative || (liveCount === 0 && configCount === 0)) return whole;
  if (configCount === 0) return live!;
  return liveCount === 0 ? config! : mergeItems(list, live!, config!);
}

/**
 * Walks both lists at once. Items of the live list alone stay before the shared item that came after them; shared items
 * are in the configuration's order.
 */
function mergeItems(list: ListType, live: readonly JsonValue[], config: readonly JsonValue[]): JsonValue[] {
  const liveIds = live.map((item) => itemId(list, item, 'json'));
  const configIds = config.map((item) => itemId(list, item, 'json'));
  const liveItems = uniqueItems(live, liveIds);
  const configItems = new Map(configIds.map((id, index): [ItemId, JsonValue] => [id, config[index]!]));
  const shared = configIds.filter((id) => liveItems.has(id));
  const taken = new Set<ItemId>();
  const merged: JsonValue[] = [];
  const take = (id: ItemId) => {
    taken.add(id);
    const item = mergeValues(list.element, liveItems.get(id), configItems.get(id));
    if (item !== undefined) merged.push(item);
  };
  let nextShared = 0;
  for (let l = 0, c = 0; l < live.length || c < config.length; ) {
    const id = liveIds[l];
    if (l < live.length && c < config.length) {
      if (id === configIds[c]) {
        take(id!);
        l++;
        c++;
        nextShared++;
        continue;
      }
      if (configItems.has(id!) && nextShared < shared.length && shared[nextShared] !== id) {
        l++;
        continue;
      }
    }
    if (l < live.length) {
      if (!configItems.has(id!)) {
        merged.push(live[l++]!);
        continue;
      }
      if (taken.has(id!)) l++;
    }
    if (c < config.length) {
      const next = configIds[c++]!;
      take(next);
      if (shared[nextShared] === next) nextShared++;
    }
  }
  return merged;
}

/** Items by identity; those that occur twice are not merged with, so they count as null. */
function uniqueItems(items: readonly JsonValue[], ids: readonly ItemId[]): Map<ItemId, JsonValue> {
  const unique = new Map<ItemId, JsonValue>();
  ids.forEach((id, index) => unique.set(id, unique.has(id) ? null : items[index]!));
  return unique;
}
