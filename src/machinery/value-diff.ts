import { isEqual } from './equal.ts';
import { shownJson } from './go-quote.ts';
import { isObject } from './value.ts';

const maxLines = 100;

/**
 * What differs between two values, for people to read in an error message: removed and added members by path, in the
 * frame in which upstream shows them.
 */
export function formatDiff(typeName: string, before: unknown, after: unknown): string {
  const lines = new Lines();
  addChanges(before, after, '', lines);
  return `  ${typeName}{\n${lines.text()}  }\n`;
}

/** Lines beyond the last that is shown are counted, not made. */
class Lines {
  readonly #lines: string[] = [];
  #hidden = 0;

  add(sign: '-' | '+', path: string, value: unknown): void {
    if (value === undefined) return;
    if (this.#lines.length < maxLines) this.#lines.push(`${sign} \t${path}: ${shownJson(value)},\n`);
    else this.#hidden++;
  }

  text(): string {
    return this.#lines.join('') + (this.#hidden === 0 ? '' : `  \t... // ${this.#hidden} more lines\n`);
  }
}

function addChanges(before: unknown, after: unknown, path: string, lines: Lines): void {
  if (isEqual(before, after)) return;
  if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      addChanges(before[key], after[key], path === '' ? key : `${path}.${key}`, lines);
  } else if (Array.isArray(before) && Array.isArray(after)) {
    for (let i = 0; i < Math.max(before.length, after.length); i++)
      addChanges(before[i], after[i], `${path}[${i}]`, lines);
  } else {
    lines.add('-', path, before);
    lines.add('+', path, after);
  }
}
