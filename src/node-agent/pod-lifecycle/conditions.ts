/**
 * The conditions of a pod that its node keeps, in the order in which they are written.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-conditions | Pod conditions}
 */
import type { ContainerStatus, PodCondition, PodPhase, PodSpec } from '../../api/gen/types/core-v1.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import type { ContainerStatuses } from './container-status.ts';
import { isSidecar } from './containers.ts';
import { hasStarted } from './phase.ts';

/** Conditions that belong to the node; all others are kept as they are. */
export const ownConditions = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];

export interface ConditionInput {
  readonly spec: PodSpec;
  readonly statuses: ContainerStatuses;
  readonly phase: PodPhase;
  readonly hasSandbox: boolean;
  /** As they were: those of others, and when the node's own ones changed last. */
  readonly before: readonly PodCondition[];
  /** RFC 3339. */
  readonly now: string;
}

interface Finding {
  readonly isTrue: boolean;
  readonly reason?: string;
  readonly message?: string;
}

export function conditionsOf(input: ConditionInput): PodCondition[] {
  const containersReady = findContainersReady(input);
  const findings: readonly [string, Finding][] = [
    ['PodReadyToStartContainers', { isTrue: input.hasSandbox }],
    ['Initialized', findInitialized(input)],
    ['Ready', findReady(input, containersReady)],
    ['ContainersReady', containersReady],
    ['PodScheduled', { isTrue: true }],
  ];
  const others = input.before.filter(({ type }) => !ownConditions.includes(type ?? ''));
  return [...others, ...findings.map(([type, finding]) => conditionFrom(type, finding, input))];
}

function conditionFrom(
  type: string,
  { isTrue, reason, message }: Finding,
  { before, now }: ConditionInput,
): PodCondition {
  const status = isTrue ? 'True' : 'False';
  const last = before.find((condition) => condition.type === type);
  return {
    type,
    status,
    lastTransitionTime: last?.status === status ? (last.lastTransitionTime ?? now) : now,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}

function findInitialized({ spec, statuses, phase }: ConditionInput): Finding {
  const { initContainers = [] } = spec;
  const unknown: string[] = [];
  const incomplete: string[] = [];
  for (const container of initContainers) {
    const status = statuses.init.find(({ name }) => name === container.name);
    if (status === undefined) unknown.push(container.name ?? '');
    else if ((isSidecar(container) ? status.started : status.ready) !== true) incomplete.push(container.name ?? '');
  }
  if (phase === 'Succeeded' && unknown.length === 0) return { isTrue: true, reason: 'PodCompleted' };
  if (hasStarted(statuses.main)) return { isTrue: true };
  const message = listed({ unknown, incomplete });
  return message === '' ? { isTrue: true } : { isTrue: false, reason: 'ContainersNotInitialized', message };
}

function findContainersReady({ spec, statuses, phase }: ConditionInput): Finding {
  const { initContainers = [], containers = [] } = spec;
  if (statuses.main.length === 0) return { isTrue: false, reason: 'UnknownContainerStatuses' };
  const unknown: string[] = [];
  const unready: string[] = [];
  const look = (name: string | undefined, all: readonly ContainerStatus[]): void => {
    const status = all.find((each) => each.name === name);
    if (status === undefined) unknown.push(name ?? '');
    else if (status.ready !== true) unready.push(name ?? '');
  };
  for (const container of initContainers) if (isSidecar(container)) look(container.name, statuses.init);
  for (const { name } of containers) look(name, statuses.main);
  if (phase === 'Succeeded' && unknown.length === 0) return { isTrue: false, reason: 'PodCompleted' };
  if (phase === 'Failed') return { isTrue: false, reason: 'PodFailed' };
  const message = listed({ unknown, unready });
  return message === '' ? { isTrue: true } : { isTrue: false, reason: 'ContainersNotReady', message };
}

function findReady({ spec, before }: ConditionInput, containersReady: Finding): Finding {
  if (!containersReady.isTrue) return containersReady;
  const missing = (spec.readinessGates ?? []).flatMap(({ conditionType = '' }) => {
    const status = before.find(({ type }) => type === conditionType)?.status;
    const gate = goQuote(conditionType);
    if (status === undefined) return [`corresponding condition of pod readiness gate ${gate} does not exist.`];
    return status === 'True' ? [] : [`the status of pod readiness gate ${gate} is not "True", but ${status}`];
  });
  return missing.length === 0
    ? { isTrue: true }
    : { isTrue: false, reason: 'ReadinessGatesNotReady', message: missing.join(', ') };
}

/** `containers with unready status: [a b]` for each list that has names. */
const listed = (lists: Readonly<Record<string, readonly string[]>>): string =>
  Object.entries(lists)
    .filter(([, names]) => names.length > 0)
    .map(([status, names]) => `containers with ${status} status: [${names.join(' ')}]`)
    .join(', ');
