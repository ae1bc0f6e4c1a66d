/**
 * Whether nodes are alive: a node whose lease and status have not changed for the grace period is not, whatever it said
 * last.
 * @see {@link https://kubernetes.io/docs/concepts/architecture/nodes/#node-heartbeats | Node heartbeats}
 */
import type { Node, NodeCondition } from '../../api/gen/types/core-v1.ts';
import { formatMs } from '../shared/times.ts';

export interface GracePeriods {
  readonly monitorGracePeriodMs: number;
  /** For a node that has not said anything yet. */
  readonly startupGracePeriodMs: number;
}

/** What was seen of a node, and when by this process: clocks of nodes are not asked. */
interface Seen {
  readonly heartbeat: string | undefined;
  readonly renewal: string | undefined;
  readonly atMs: number;
}

/** Conditions that a silent node does not have. */
const watchedTypes = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

export const nodeCondition = ({ status }: Node, type: string): NodeCondition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

export class NodeHealth {
  readonly #periods: GracePeriods;
  readonly #seen = new Map<string, Seen>();

  constructor(periods: GracePeriods) {
    this.#periods = periods;
  }

  forget(name: string): void {
    this.#seen.delete(name);
  }

  /** All nodes have their grace period once more: nothing could be heard of them. */
  renewAll(now: number): void {
    for (const [name, seen] of this.#seen) this.#seen.set(name, { ...seen, atMs: now });
  }

  /**
   * Notes what the node says. @returns the conditions that it should have instead, when it is silent and has others
   * @param renewal of its lease
   * @param now by the clock of this process
   * @param nowMs since 1970
   */
  look(node: Node, renewal: string | undefined, now: number, nowMs: number): NodeCondition[] | undefined {
    const name = node.metadata.name!;
    const ready = nodeCondition(node, 'Ready');
    const heartbeat = ready?.lastHeartbeatTime;
    const before = this.#seen.get(name);
    const isNews = before === undefined || before.heartbeat !== heartbeat || before.renewal !== renewal;
    const seen = isNews ? { heartbeat, renewal, atMs: now } : before;
    if (isNews) this.#seen.set(name, seen);
    const { monitorGracePeriodMs, startupGracePeriodMs } = this.#periods;
    const graceMs = ready === undefined ? startupGracePeriodMs : monitorGracePeriodMs;
    return now > seen.atMs + graceMs ? silentConditions(node, nowMs) : undefined;
  }
}

/** Undefined when the node has them already. */
function silentConditions({ metadata, status }: Node, nowMs: number): NodeCondition[] | undefined {
  const conditions = [...(status?.conditions ?? [])];
  const now = formatMs(nowMs);
  let isChanged = false;
  for (const type of watchedTypes) {
    const index = conditions.findIndex((condition) => condition.type === type);
    const before = conditions[index];
    if (before?.status === 'Unknown') continue;
    isChanged = true;
    if (before === undefined)
      conditions.push({
        type,
        status: 'Unknown',
        reason: 'NodeStatusNeverUpdated',
        message: 'Kubelet never posted node status.',
        lastHeartbeatTime: metadata.creationTimestamp!,
        lastTransitionTime: now,
      });
    else
      conditions[index] = {
        ...before,
        status: 'Unknown',
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
        lastTransitionTime: now,
      };
  }
  return isChanged ? conditions : undefined;
}
