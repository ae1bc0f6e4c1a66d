/**
 * What the answer shows when a patched object cannot be read: the object after a JSON patch or merge patch, the patch
 * itself when it is strategic.
 */
import { goValue } from '../go-format.ts';
import { stringifyJson } from '../json/writer.ts';
import { keysOf, memberOf } from '../members.ts';
import { isObject, type JsonObject, type JsonValue } from '../value.ts';

/** JSON with the members as they come: sorted where a patch opened an object, in the order of JSON elsewhere. */
export function patchedText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(patchedText).join(',')}]`;
  if (!isObject(value)) return stringifyJson(value);
  return `{${keysOf(value)
    .map((key) => `${stringifyJson(key)}:${patchedText(memberOf(value, key)!)}`)
    .join(',')}}`;
}

/** `map[spec:map[replicas:2]]` */
export const patchText = (patch: JsonObject): string => goValue(patch);
