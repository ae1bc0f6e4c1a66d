/** What a hollow node goes through: it dies and lives again, or its object is changed. */
import type { Node } from '../../../api/gen/types/core-v1.ts';
import { asJson } from '../../../machinery/object-meta.ts';
import { type Lane, nextStage, type StageLanes } from '../stages/lifecycle.ts';
import type { HollowNode } from './hollow-node.ts';

export interface NodeStageContext {
  readonly stages: StageLanes;
  readonly random: () => number;
  readonly wallTime: () => number;
}

/** @returns milliseconds until a stage is due */
export function advanceNode(
  object: Node,
  node: HollowNode,
  context: NodeStageContext,
  _signal: AbortSignal,
): Promise<number | undefined> {
  let leastMs: number | undefined;
  for (const lane of context.stages.lanes) {
    const inMs = advanceLane(object, node, lane, context);
    if (inMs !== undefined) leastMs = Math.min(inMs, leastMs ?? inMs);
  }
  return Promise.resolve(leastMs);
}

function advanceLane(object: Node, node: HollowNode, lane: Lane, context: NodeStageContext): number | undefined {
  const value = asJson(object);
  const nowMs = context.wallTime();
  let due = node.due.get(lane.name);
  if (due?.stage.matches(value) !== true) {
    const stage = nextStage(lane, value, context.random);
    if (stage === undefined) {
      node.due.delete(lane.name);
      return undefined;
    }
    due = { stage, atMs: nowMs + stage.delayMs(value, { nowMs, random: context.random }) };
    node.due.set(lane.name, due);
  }
  if (due.atMs > nowMs) return due.atMs - nowMs;
  for (const step of due.stage.steps) if (step.kind === 'node') node.isDead = step.change.state === 'Dead';
  return undefined;
}
