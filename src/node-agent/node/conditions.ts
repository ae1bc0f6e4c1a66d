/**
 * The conditions of a node. @see {@link
 * https://kubernetes.io/docs/reference/node/node-status/#condition | Node Status: conditions}
 */
import type { NodeCondition } from '../../api/gen/types/core-v1.ts';

export interface NodePressure {
  readonly memory: boolean;
  readonly disk: boolean;
  readonly pid: boolean;
}

export const noPressure: NodePressure = { memory: false, disk: false, pid: false };

interface Said {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const condition = (type: string, isTrue: boolean, [reason, message]: readonly [string, string]): Said => ({
  type,
  status: isTrue ? 'True' : 'False',
  reason,
  message,
});

/** What is true of the node now, in the order in which it is written. @param problems why it is not ready */
const saidOf = ({ memory, disk, pid }: NodePressure, problems: readonly string[]): readonly Said[] => [
  condition(
    'MemoryPressure',
    memory,
    memory
      ? ['KubeletHasInsufficientMemory', 'kubelet has insufficient memory available']
      : ['KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ),
  condition(
    'DiskPressure',
    disk,
    disk
      ? ['KubeletHasDiskPressure', 'kubelet has disk pressure']
      : ['KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ),
  condition(
    'PIDPressure',
    pid,
    pid
      ? ['KubeletHasInsufficientPID', 'kubelet has insufficient PID available']
      : ['KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ),
  condition(
    'Ready',
    problems.length === 0,
    problems.length === 0
      ? ['KubeletReady', 'kubelet is posting ready status']
      : ['KubeletNotReady', problems.length === 1 ? problems[0]! : `[${problems.join(', ')}]`],
  ),
];

/** A condition that changed its status, as an event says it. */
const eventReasons: Readonly<Record<string, readonly [isTrue: string, isFalse: string]>> = {
  MemoryPressure: ['NodeHasInsufficientMemory', 'NodeHasSufficientMemory'],
  DiskPressure: ['NodeHasDiskPressure', 'NodeHasNoDiskPressure'],
  PIDPressure: ['NodeHasInsufficientPID', 'NodeHasSufficientPID'],
  Ready: ['NodeReady', 'NodeNotReady'],
};

export interface Conditions {
  readonly conditions: NodeCondition[];
  /** Reasons of events about those that changed or are new. */
  readonly events: readonly string[];
}

/** @param before those of the object: conditions of others stay as they are, in front */
export function nextConditions(
  before: readonly NodeCondition[],
  pressure: NodePressure,
  problems: readonly string[],
  now: string,
): Conditions {
  const said = saidOf(pressure, problems);
  const others = before.filter(({ type }) => !said.some((own) => own.type === type));
  const events: string[] = [];
  const own = said.map((next): NodeCondition => {
    const last = before.find(({ type }) => type === next.type);
    const since = last?.status === next.status ? last.lastTransitionTime : undefined;
    if (since === undefined) events.push(eventReasons[next.type]![next.status === 'True' ? 0 : 1]);
    return {
      type: next.type,
      status: next.status,
      lastHeartbeatTime: now,
      lastTransitionTime: since ?? now,
      reason: next.reason,
      message: next.message,
    } as NodeCondition;
  });
  return { conditions: [...others, ...own], events };
}
