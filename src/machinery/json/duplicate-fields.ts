import { goQuote } from '../go-quote.ts';
import type { JsonValue } from '../value.ts';
import { ProblemList } from './problems.ts';
import type { JsonDocument } from './reader.ts';

/**
 * `duplicate field "a.b"` for each key that an object has twice, in the order of the text, as strict decoding reports
 * them.
 */
export function duplicateFields(document: JsonDocument): string[] {
  const found = new ProblemList(true);
  if (document.repeated !== undefined) collectDuplicates(document, found);
  return found.slice();
}

function collectDuplicates({ value, repeated }: JsonDocument, found: ProblemList): void {
  const waiting: { path: string; value: JsonValue; again?: boolean }[] = [{ path: '', value }];
  for (let next = waiting.pop(); next !== undefined && !found.isFull; next = waiting.pop()) {
    const { path, value: current } = next;
    if (next.again === true) found.add(`duplicate field ${goQuote(path)}`);
    if (typeof current !== 'object' || current === null) continue;
    const children: typeof waiting = [];
    if (Array.isArray(current)) {
      for (const [index, item] of current.entries()) children.push({ path: `${path}[${index}]`, value: item });
    } else {
      const seen = new Set<string>();
      for (const [key, item] of repeated!.get(current) ?? Object.entries(current)) {
        children.push({ path: path === '' ? key : `${path}.${key}`, value: item!, again: seen.has(key) });
        seen.add(key);
      }
    }
    for (const child of children.reverse()) waiting.push(child);
  }
}
