/** Literals that can only fail when the expression runs: patterns, durations and times that are none. */
import { parseDuration } from '../../machinery/duration.ts';
import { pattern } from '../library/patterns.ts';
import { type Call, eachPart, type Node } from '../syntax/ast.ts';
import type { Issue } from '../syntax/source.ts';
import { timestampOf } from '../values/time-text.ts';
import { CelError } from '../values/values.ts';
import { Cancelled, startWork, workDone } from '../values/evaluation-limit.ts';

function isDuration(text: string): boolean {
  try {
    parseDuration(text);
    return true;
  } catch {
    return false;
  }
}

/** A pattern that takes too long is refused like one that is none. */
function isPattern(text: string): boolean {
  try {
    return !(pattern(text) instanceof CelError);
  } catch (error) {
    if (error instanceof Cancelled) return false;
    throw error;
  }
}

const valid: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['duration', isDuration],
  ['timestamp', (text) => timestampOf(text) !== undefined],
  ['matches', isPattern],
]);

/** Steps for all literals of an expression; each of them may take what an evaluation may. */
const maxSteps = 20_000_000;

/** A step for each literal. */
export function* checkLiterals(node: Node): Generator<void, readonly Issue[]> {
  const issues: Issue[] = [];
  let steps = 0;
  for (const { call, text } of literalCalls(node)) {
    const { offset } = call.args.at(-1)!;
    if (steps > maxSteps)
      return [...issues, { offset, message: 'the patterns of the expression take too long to compile' }];
    startWork();
    if (!valid.get(call.name)!(text)) issues.push({ offset, message: `invalid ${call.name} argument` });
    steps += workDone();
    yield;
  }
  return issues;
}

interface LiteralCall {
  readonly call: Call;
  readonly text: string;
}

function literalCalls(node: Node, found: LiteralCall[] = []): readonly LiteralCall[] {
  eachPart(node, (part) => void literalCalls(part, found));
  if (node.kind !== 'call' || !valid.has(node.name)) return found;
  const { name, target, args } = node;
  const last = args.at(-1);
  const expectedArgs = name === 'matches' && target === undefined ? 2 : 1;
  if (args.length === expectedArgs && last!.kind === 'literal' && last!.literal.kind === 'string')
    found.push({ call: node, text: last!.literal.value });
  return found;
}
