import { schemas } from '../../../../test/support/schemas.ts';
import { type JsonObject } from '../../value.ts';
import { createBuiltInTypes } from '../built-in-types.ts';
import { compareObjects } from '../compare.ts';
import type { FieldSet } from '../field-set.ts';
import type { MergeType } from '../merge-type.ts';
import { type ValueEncoding } from '../typed-value.ts';

export const types = createBuiltInTypes(schemas);

export const paths = (set: FieldSet): string[] => [...set.paths()].map((path) => path.join('')).sort();

export function changes(type: MergeType, before: JsonObject, after: JsonObject, encoding: ValueEncoding) {
  const { removed, modified, added } = compareObjects(type, before, after, encoding);
  return {
    ...(removed.isEmpty ? {} : { removed: paths(removed) }),
    ...(modified.isEmpty ? {} : { modified: paths(modified) }),
    ...(added.isEmpty ? {} : { added: paths(added) }),
  };
}

export interface Row {
  name: string;
  type?: string;
  before?: JsonObject;
  after: JsonObject;
  is: { removed?: string[]; modified?: string[]; added?: string[] };
}
