import { isEqual } from './equal.ts';
import { isObject } from './value.ts';

const maxLines = 100;

/**
 * What differs between two values, for people to read in an error message: removed and added members by path, in the
 * frame in which upstream shows them.
 */
export function changeText(typeName: string, before: unknown, after: unknown): string {
  const lines: string[] = [];
  addChanges(before, after, '', lines);
  const shown = lines.length > maxLines ? [...lines.slice(0, maxLines), `  \t... // ${lines.length - maxLines} more lines`] : lines;
  return `  ${typeName}{\n${shown.map((line) => `${line}\n`).join('')}  }\n`;
}

function addChanges(before: unknown, after: unknown, path: string, lines: string[]): void {
  if (isEqual(before, after)) return;
  if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) addChanges(before[key], after[key], path === '' ? key : `${path}.${key}`, lines);
  } else if (Array.isArray(before) && Array.isArray(after)) {
    for (let i = 0; i < Math.max(before.length, after.length); i++) addChanges(before[i], after[i], `${path}[${i}]`, lines);
  } else {
    if (before !== undefined) lines.push(`- \t${path}: ${shownValue(before)},`);
    if (after !== undefined) lines.push(`+ \t${path}: ${shownValue(after)},`);
  }
}

const shownValue = (value: unknown): string => JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? Number(member) : member));
