/** Keys of mappings as names in JSON, and the values that messages about other keys show. */
import { goQuote } from '../go-quote.ts';
import { isObject, type JsonValue } from '../value.ts';
import type { YamlScalar } from './scalars.ts';

/** Undefined for a key that JSON cannot have: null, an integer beyond int64, a list, a map. */
export function keyText({
  tag,
  value,
}: {
  readonly tag: YamlScalar['tag'] | undefined;
  readonly value: JsonValue;
}): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (tag === 'int') return (value as number) < 2n ** 63n ? String(value) : undefined;
  return tag === 'float' ? floatText(value as number) : undefined;
}

/** Go's `%g` of a float32: the shortest digits that give it, with an exponent below -4 and from 6 on. */
function floatText(value: number): string {
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return Number.isNaN(single) ? '.nan' : single > 0 ? '.inf' : '-.inf';
  let digits = 1;
  while (Math.fround(Number(single.toExponential(digits - 1))) !== single) digits++;
  const shortest = single.toExponential(digits - 1);
  const exponent = Number(shortest.slice(shortest.indexOf('e') + 1));
  return exponent < -4 || exponent >= 6 ? shortest.replace(/e([+-])(\d)$/, 'e$10$2') : String(Number(shortest));
}

/** Longer texts are cut: a message is no copy of the document. */
const maxShown = 1000;

/** `%#v` of what go-yaml decodes: `map[interface {}]interface {}{"a":1}`. */
export function goSyntaxOf(value: JsonValue): string {
  const parts: string[] = [];
  let length = 0;
  const write = (text: string): void => {
    parts.push(text);
    length += text.length;
  };
  const show = (shown: JsonValue | undefined): void => {
    if (length > maxShown) return;
    if (shown === null || shown === undefined) write('interface {}(nil)');
    else if (typeof shown === 'string') write(goQuote(shown.slice(0, maxShown)));
    else if (Array.isArray(shown)) {
      write('[]interface {}{');
      each(shown, show);
      write('}');
    } else if (isObject(shown)) {
      write('map[interface {}]interface {}{');
      each(Object.keys(shown).sort(), (key) => {
        write(`${goQuote(key.slice(0, maxShown))}:`);
        show(shown[key]);
      });
      write('}');
    } else write(String(shown));
  };
  const each = <T>(items: readonly T[], visit: (item: T) => void): void => {
    for (const [index, item] of items.entries()) {
      if (length > maxShown) return;
      if (index > 0) write(', ');
      visit(item);
    }
  };
  show(value);
  const text = parts.join('');
  return text.length > maxShown ? `${text.slice(0, maxShown)}...` : text;
}
