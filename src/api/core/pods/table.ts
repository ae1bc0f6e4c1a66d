/**
 * The row of a pod. What its status column says is the most telling of phase, reason and the states of its containers.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-phase | Pod phase}
 */
import type { ContainerStateTerminated, ContainerStatus, Pod, PodCondition } from '../../gen/types/core-v1.ts';
import { humanDuration } from '../../../machinery/human-duration.ts';
import { ageCell, textCell } from '../../table/cells.ts';
import { isSidecar } from './container-list.ts';

export function podCells(pod: Pod, now: Date): (string | number)[] {
  const { metadata, spec, status } = pod;
  const { reason, ready, total, restarts } = summaryOf(pod);
  return [
    metadata.name ?? '',
    `${ready}/${total}`,
    reason,
    restartsCell(restarts, now),
    ageCell(metadata.creationTimestamp, now),
    textCell(status.podIPs?.[0]?.ip),
    textCell(spec.nodeName),
    textCell(status.nominatedNodeName),
    gatesCell(pod),
  ];
}

const finished = { type: 'Completed', status: 'True' };

/** Clients leave finished pods out or show them apart. */
export function podRowConditions({
  status: { phase },
}: Pod): { type: string; status: string; reason: string; message: string }[] | undefined {
  if (phase === 'Succeeded')
    return [{ ...finished, reason: 'Succeeded', message: 'The pod has completed successfully.' }];
  return phase === 'Failed' ? [{ ...finished, reason: 'Failed', message: 'The pod failed.' }] : undefined;
}

interface Summary {
  reason: string;
  ready: number;
  total: number;
  restarts: Restarts;
}

/** How often containers were restarted, and when the last one before had ended. */
class Restarts {
  count = 0;
  last = '';

  add({ restartCount = 0, lastState: { terminated } }: ContainerStatus): void {
    this.count += restartCount;
    const finishedAt = terminated?.finishedAt ?? '';
    if (finishedAt > this.last) this.last = finishedAt;
  }
}

const restartsCell = ({ count, last }: Restarts, now: Date): string =>
  count === 0 || last === '' ? `${count}` : `${count} (${humanDuration(now.getTime() - Date.parse(last))} ago)`;

function summaryOf(pod: Pod): Summary {
  const { spec, status } = pod;
  const sidecars = spec.initContainers?.filter(isSidecar) ?? [];
  const summary: Summary = {
    reason: status.reason ?? status.phase ?? '',
    ready: 0,
    total: (spec.containers?.length ?? 0) + sidecars.length,
    restarts: new Restarts(),
  };
  if (status.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated') === true)
    summary.reason = 'SchedulingGated';
  const names = new Set(sidecars.map(({ name }) => name));
  const initializing = addInitContainers(pod, names, summary);
  if (!initializing || isTrue(status.conditions, 'Initialized')) addContainers(pod, names, summary);
  if (pod.metadata.deletionTimestamp !== undefined) summary.reason = deletedReason(pod, summary.reason);
  return summary;
}

function deletedReason({ status: { reason, phase } }: Pod, shown: string): string {
  if (reason === 'NodeLost') return 'Unknown';
  return phase === 'Failed' || phase === 'Succeeded' ? shown : 'Terminating';
}

/** Returns whether an init container is still to finish. */
function addInitContainers(
  { spec, status }: Pod,
  sidecars: ReadonlySet<string | undefined>,
  summary: Summary,
): boolean {
  const isRunningSidecar = ({ name, started }: ContainerStatus): boolean => started === true && sidecars.has(name);
  for (const [i, container] of (status.initContainerStatuses ?? []).entries()) {
    summary.restarts.add(container);
    const { terminated, waiting } = container.state;
    if (terminated !== undefined && (terminated.exitCode ?? 0) === 0) continue;
    if (isRunningSidecar(container)) {
      if (container.ready === true) summary.ready++;
      continue;
    }
    summary.reason = `Init:${initReason(terminated, waiting?.reason) ?? `${i}/${spec.initContainers?.length ?? 0}`}`;
    return true;
  }
  return false;
}

function initReason(terminated: ContainerStateTerminated | undefined, waiting: string | undefined): string | undefined {
  if (terminated !== undefined) return endReason(terminated);
  return waiting === 'PodInitializing' ? undefined : waiting;
}

const endReason = ({ reason, signal = 0, exitCode = 0 }: ContainerStateTerminated): string =>
  reason ?? (signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`);

function addContainers({ status }: Pod, sidecars: ReadonlySet<string | undefined>, summary: Summary): void {
  // From here on only what still runs counts: the sidecars and the containers themselves.
  summary.restarts = new Restarts();
  for (const container of status.initContainerStatuses ?? [])
    if (sidecars.has(container.name)) summary.restarts.add(container);
  let running = false;
  for (const container of [...(status.containerStatuses ?? [])].reverse()) {
    summary.restarts.add(container);
    const { waiting, terminated, running: started } = container.state;
    if (waiting?.reason !== undefined) summary.reason = waiting.reason;
    else if (terminated !== undefined) summary.reason = endReason(terminated);
    else if (container.ready === true && started !== undefined) {
      running = true;
      summary.ready++;
    }
  }
  if (summary.reason === 'Completed' && running)
    summary.reason = isTrue(status.conditions, 'Ready') ? 'Running' : 'NotReady';
}

const isTrue = (conditions: readonly PodCondition[] | undefined, type: string): boolean =>
  conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;

function gatesCell({ spec: { readinessGates = [] }, status: { conditions } }: Pod): string {
  if (readinessGates.length === 0) return '<none>';
  // Of conditions with one type the first counts.
  const states = new Map(conditions?.toReversed().map(({ type, status }) => [type, status]));
  const open = readinessGates.filter(({ conditionType }) => states.get(conditionType) === 'True');
  return `${open.length}/${readinessGates.length}`;
}
