import type { LimitRange, LimitRangeItem } from '../../gen/types/core-v1.ts';
import { createMap } from '../../../machinery/value.ts';
import { roundResourceList } from '../resources/quantities.ts';

export function setLimitRangeDefaults({ spec }: LimitRange): void {
  for (const item of spec.limits ?? []) {
    for (const list of [item.max, item.min, item.default, item.defaultRequest, item.maxLimitRequestRatio])
      roundResourceList(list);
    if (item.type === 'Container') fillContainerItem(item);
  }
}

/** Where only bounds are given, a container may have all it can, and asks for all it may have, else for the least. */
function fillContainerItem(item: LimitRangeItem): void {
  fill(item, 'default', item.max);
  fill(item, 'defaultRequest', item.default);
  fill(item, 'defaultRequest', item.min);
}

function fill(
  item: LimitRangeItem,
  member: 'default' | 'defaultRequest',
  from: Readonly<Record<string, string>> | undefined,
): void {
  for (const name in from) (item[member] ??= createMap<string>())[name] ??= from[name]!;
}
