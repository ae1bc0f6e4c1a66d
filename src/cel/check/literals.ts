/** Literals that can only fail when the expression runs: patterns, durations and times that are none. */
import { parseDuration } from '../../machinery/duration.ts';
import { pattern } from '../library/patterns.ts';
import { type Call, eachPart, type Node } from '../syntax/ast.ts';
import type { Issue } from '../syntax/source.ts';
import { timestampOf } from '../values/time-text.ts';
import { CelError } from '../values/values.ts';
import { Cancelled } from '../values/work.ts';

function isDuration(text: string): boolean {
  try {
    parseDuration(text);
    return true;
  } catch {
    return false;
  }
}

/** Patterns that take too long altogether are refused like those that are none. */
function isPattern(text: string): boolean {
  try {
    return !(pattern(text) instanceof CelError);
  } catch (error) {
    if (error instanceof Cancelled) return false;
    throw error;
  }
}

const valid: ReadonlyMap<string, (text: string) => boolean> = new Map([['duration', isDuration], ['timestamp', (text) => timestampOf(text) !== undefined], ['matches', isPattern]]);

export function checkLiterals(node: Node, issues: Issue[] = []): Issue[] {
  eachPart(node, (part) => checkLiterals(part, issues));
  if (node.form === 'call') checkCall(node, issues);
  return issues;
}

function checkCall({ name, target, args }: Call, issues: Issue[]): void {
  const isValid = valid.get(name);
  const last = args.at(-1);
  const expectedArgs = name === 'matches' && target === undefined ? 2 : 1;
  if (isValid === undefined || args.length !== expectedArgs || last!.form !== 'literal' || last!.literal.kind !== 'string') return;
  if (!isValid(last!.literal.value)) issues.push({ offset: last!.offset, message: `invalid ${name} argument` });
}
