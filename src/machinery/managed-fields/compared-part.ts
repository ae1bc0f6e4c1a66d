import { type FieldNode } from './field-set.ts';
import { type JsonObject } from '../value.ts';
import { memberNames } from './typed-value.ts';

/** What lies at and below one path. */
export interface Part {
  readonly member: boolean;
  readonly children: readonly FieldNode[] | undefined;
}

export const leaf: Part = { member: true, children: undefined };

/** Most maps are of texts, and most are as they were: told without sorting their keys. */
export function haveSameScalars(before: JsonObject, after: JsonObject): boolean {
  let count = 0;
  for (const key in after) {
    if (before[key] !== after[key]) return false;
    count++;
  }
  for (const _ in before) count--;
  return count === 0;
}

export function unionOfNames(before: JsonObject | null, after: JsonObject | null): readonly string[] {
  if (before === null) return after === null ? [] : memberNames(after);
  if (after === null) return memberNames(before);
  return memberNames({ ...before, ...after });
}
