/** What a hollow node goes through: it dies and lives again, or its object is changed. */
import type { Node } from '../../../api/gen/types/core-v1.ts';
import type { EventRecorder } from '../../../client/events/recorder.ts';
import { asJson } from '../../../machinery/object-meta.ts';
import { applyStage, type ObjectWriter } from '../stages/apply.ts';
import { type Lane, nextStage, objectLane, type StageLanes } from '../stages/lifecycle.ts';
import type { Stage } from '../stages/stage.ts';
import type { TemplateContext } from '../stages/template/functions.ts';
import type { HollowNode } from './hollow-node.ts';

export interface NodeStageContext {
  readonly stages: StageLanes;
  readonly random: () => number;
  readonly wallTime: () => number;
  readonly events: EventRecorder;
  readonly templateContext: (node: HollowNode) => TemplateContext;
}

/** A stage is not applied to the same version of the node again, and not more often than that. */
const leastMs = 1000;

/** @returns milliseconds until a stage is due */
export async function advanceNode(
  object: Node,
  node: HollowNode,
  context: NodeStageContext,
  writer: ObjectWriter<Node>,
): Promise<number | undefined> {
  let nextMs: number | undefined;
  for (const lane of [context.stages.object, ...context.stages.lanes]) {
    const due = dueStage(object, node, lane, context);
    if (due === undefined) continue;
    const inMs = due.atMs - context.wallTime();
    if (inMs > 0) nextMs = Math.min(inMs, nextMs ?? inMs);
    else if (lane.name !== objectLane) changeState(due.stage, node);
    else {
      node.due.delete(lane.name);
      node.appliedAtMs = context.wallTime();
      await applyStage(due.stage, object, { writer, events: context.events, context: context.templateContext(node) });
    }
  }
  return nextMs;
}

function dueStage(object: Node, node: HollowNode, lane: Lane, { random, wallTime }: NodeStageContext) {
  const value = asJson(object);
  const before = node.due.get(lane.name);
  if (before?.stage.matches(value) === true) return before;
  const nowMs = wallTime();
  const stage = nextStage(lane, value, random);
  if (stage === undefined) {
    node.due.delete(lane.name);
    return undefined;
  }
  const atMs = nowMs + stage.delayMs(value, { nowMs, random });
  const due = { stage, atMs: lane.name === objectLane ? Math.max(atMs, node.appliedAtMs + leastMs) : atMs };
  node.due.set(lane.name, due);
  return due;
}

function changeState({ steps }: Stage, node: HollowNode): void {
  for (const step of steps) if (step.kind === 'node') node.isDead = step.change.state === 'Dead';
}
