/**
 * Names of properties as expressions write them: what is no identifier is escaped.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules |
 *   Validation rules}
 */
import { isReserved } from '../syntax/reserved-words.ts';

const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};
const escapable = /^[A-Za-z_][A-Za-z0-9_./-]*$/;
const unescapes = /__(underscores|dot|dash|slash)__/g;
const meanings: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' };

/** Undefined for a name that expressions cannot say. */
export function escapeName(name: string): string | undefined {
  if (isReserved(name)) return `__${name}__`;
  return escapable.test(name) ? name.replace(/__|[./-]/g, (found) => escapes[found]!) : undefined;
}

/** The property that an expression means. */
export function unescapeName(escaped: string): string {
  const word = /^__(.*)__$/.exec(escaped)?.[1];
  if (word !== undefined && isReserved(word)) return word;
  return escaped.includes('__') ? escaped.replace(unescapes, (_, name: string) => meanings[name]!) : escaped;
}
