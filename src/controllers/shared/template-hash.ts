/** A short name for a template: equal templates have the same, and others very likely another one. */
import { stringifyJson } from '../../machinery/json/writer.ts';
import type { JsonValue } from '../../machinery/value.ts';

/**
 * @param collisions how often a name was taken by another template
 * @returns letters and digits that form no words and are no numbers to YAML readers
 */
export function templateHash(template: unknown, collisions = 0): string {
  const text = stringifyJson(template as JsonValue) + (collisions === 0 ? '' : String(collisions));
  return [...String(fnv1a(text))].map((digit) => safeCharacters[Number(digit)]).join('');
}

/** No vowels, and none of 0, 1 and 3, as in all generated names. */
const safeCharacters = 'bcdf456789';

/** @see {@link http://www.isthe.com/chongo/tech/comp/fnv/ | FNV hash, 32 bits, 1a} */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
