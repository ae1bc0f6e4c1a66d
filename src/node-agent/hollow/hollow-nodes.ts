/**
 * Hollow nodes: nodes of a cluster whose pods exist in the API alone. They register, keep their leases, and bring the
 * pods that are bound to them to Running and Ready by the rules of the real life cycle; only the runtime is simulated.
 *
 * For tests, demonstrations, and clusters of thousands of nodes on one machine.
 */
import { type Clock, systemClock } from '../../base/clock.ts';
import { type Logger, silentLogger } from '../../base/logger.ts';
import { createEventRecorder } from '../../client/events/recorder.ts';
import type { WorkQueueObserver } from '../../reconcile/work-queue.ts';
import { tally } from './tally.ts';
import type { Client } from '../../client/client.ts';
import { defaultCapacity, type NodeCapacity } from './nodes/capacity.ts';
import { HollowNode } from './nodes/hollow-node.ts';
import { HollowNodeSet } from './nodes/hollow-node-set.ts';
import { defaultNamePrefix } from './nodes/node-addresses.ts';
import { HollowPods } from './pods/hollow-pods.ts';
import { SimulatedRuntime } from './simulated-runtime.ts';
import { defaultNodeStages, defaultPodStages } from './stages/default-stages.ts';
import type { StageDocument } from './stages/document.ts';
import { StageLanes } from './stages/lifecycle.ts';
import { compileStage } from './stages/stage.ts';
import { createTemplateContexts } from './template-contexts.ts';

export interface HollowNodesOptions {
  readonly client: Client;
  readonly count: number;
  /** The nodes are `<prefix>0`, `<prefix>1` and so on; `hollow-node-` when absent. */
  readonly namePrefix?: string;
  /** The number of the first one; 0 when absent. Processes that share a prefix begin at different numbers. */
  readonly firstIndex?: number;
  /** What pods and nodes go through; the built-in stages act where none of these matches. */
  readonly stages?: readonly StageDocument[];
  /** How long pods of jobs run that do not say it themselves; 1 when absent. */
  readonly runSeconds?: number;
  readonly capacity?: NodeCapacity;
  /** In addition to those that every node has. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** A number in [0, 1). */
  readonly random?: () => number;
  /** Told of the work queues, by their names. */
  readonly queues?: (name: string) => WorkQueueObserver;
  /** Milliseconds since 1970. */
  readonly wallTime?: () => number;
}

export interface HollowNodes {
  /** Returns at once: nodes register as the API server allows. */
  start(): void;
  /** Ends all requests. The nodes stay registered and become silent, as machines that are switched off. */
  stop(): Promise<void>;
  /** How many there are now. Looks at every pod. */
  counts(): HollowCounts;
}

export interface HollowCounts {
  /** With a sandbox. */
  readonly pods: number;
  /** By state. */
  readonly containers: ReadonlyMap<string, number>;
  /** By state. */
  readonly nodes: ReadonlyMap<'running' | 'dead' | 'gone', number>;
}

/** Throws where a stage cannot be used. The client should have no rate limit, or one that fits the number of nodes. */
export function createHollowNodes(options: HollowNodesOptions): HollowNodes {
  const { client, count, namePrefix = defaultNamePrefix, firstIndex = 0, stages = [] } = options;
  const { runSeconds = 1, capacity = defaultCapacity, labels = {} } = options;
  const { clock = systemClock, log = silentLogger, random = Math.random, wallTime = Date.now } = options;
  const created = Array.from(
    { length: count },
    (_, index) => new HollowNode(namePrefix, firstIndex + index, capacity.pods),
  );
  const nodes = new Map(created.map((node) => [node.name, node]));
  // A step of the system's time must not make a container wait for hours: pods count by the clock.
  const origin = wallTime() - clock.now();
  const nowMs = (): number => origin + clock.now();
  const runtime = new SimulatedRuntime({
    nowMs,
    assignIPs: ({ spec }) => {
      if (spec.hostNetwork === true) return [];
      const ip = nodes.get(spec.nodeName ?? '')?.podIPs.take();
      if (ip === undefined) throw new Error(`node ${spec.nodeName} has no address left for a pod`);
      return [ip];
    },
  });
  const events = createEventRecorder({ client, component: 'kubelet', log, clock, wallTime });
  const templates = createTemplateContexts({ nodes, wallTime });
  const { queues } = options;
  const observed = (name: string) => (queues === undefined ? {} : { queue: queues(name) });
  const shared = { client, clock, log, random, nodes, events };
  const pods = new HollowPods({
    ...shared,
    ...observed('hollow-pods'),
    nowMs,
    runtime,
    stages: lanesOf('Pod', stages, defaultPodStages({ runSeconds })),
    templateContext: (pod, { node }) => templates.forPod(node, () => runtime.addressesOf(pod)),
  });
  const nodeSet = new HollowNodeSet({
    ...shared,
    ...observed('hollow-nodes'),
    wallTime,
    stages: lanesOf('Node', stages, defaultNodeStages()),
    capacity,
    labels,
    onChange: (node) => pods.wake(node),
    templateContext: (node) => templates.forNode(node),
  });
  return {
    start() {
      nodeSet.start();
      pods.start();
    },
    async stop() {
      await Promise.all([nodeSet.stop(), pods.stop(), events.stop()]);
    },
    counts: () => ({
      ...runtime.counts(),
      nodes: tally([...nodes.values()].map(({ isGone, isDead }) => (isGone ? 'gone' : isDead ? 'dead' : 'running'))),
    }),
  };
}

/** A stage of the file replaces the built-in one of its name. */
function lanesOf(kind: string, given: readonly StageDocument[], builtIn: readonly StageDocument[]): StageLanes {
  const ours = given.filter(({ spec }) => spec.resourceRef.kind === kind);
  const names = new Set(ours.map(({ metadata }) => metadata.name));
  return new StageLanes(
    ours.map(compileStage),
    builtIn.filter(({ metadata }) => !names.has(metadata.name)).map(compileStage),
  );
}
