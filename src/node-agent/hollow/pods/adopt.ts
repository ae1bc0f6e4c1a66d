/** The state that the status of a pod shows: it ran before this process, or a stage wrote the status. */
import type { ContainerStatus, Pod } from '../../../api/gen/types/core-v1.ts';
import type { ContainerInstance, ContainerRecord, ExitedContainer, PodState } from '../../pod-lifecycle/state.ts';
import { isPodTerminal } from '../../../api/core/pods/is-terminal.ts';

export function stateFromStatus({ spec, status }: Pick<Pod, 'spec' | 'status'>, nowMs: number): PodState {
  const all = [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
  const podIPs = (status.podIPs ?? []).flatMap(({ ip }) => ip ?? []);
  const hasIP = (status.podIP ?? '') !== '';
  const isUp = all.some(({ state }) => state?.running !== undefined || state?.terminated !== undefined);
  return {
    sandbox: isPodTerminal({ status }) ? 'stopped' : hasIP || isUp ? 'ready' : 'none',
    podIPs: spec.hostNetwork === true ? [] : podIPs.length > 0 || !hasIP ? podIPs : [status.podIP!],
    containers: new Map(all.flatMap((each) => recordEntry(each, nowMs))),
  };
}

function recordEntry(status: ContainerStatus, nowMs: number): [string, ContainerRecord][] {
  const { name = '', restartCount = 0, state = {} } = status;
  const previous = exitedFrom(status, status.lastState, nowMs);
  const newest = instanceFrom(status, nowMs);
  if (newest !== undefined) return [[name, { newest, previous, restartCount }]];
  const { reason = '', message } = state.waiting ?? {};
  const waiting = { reason, ...(message === undefined ? {} : { message }) };
  // What waits after an end is what ended: the runtime has no other instance.
  if (previous !== undefined) return [[name, { newest: previous, restartCount, waiting }]];
  return isBeingMade(reason) ? [] : [[name, { restartCount, waiting }]];
}

/** A container with one of these reasons is on its way, and nothing holds it. */
export const isBeingMade = (reason: string): boolean =>
  reason === '' || reason === 'ContainerCreating' || reason === 'PodInitializing';

function instanceFrom(status: ContainerStatus, nowMs: number): ContainerInstance | undefined {
  const { state = {}, started = true, ready = false } = status;
  if (state.running === undefined) return exitedFrom(status, state, nowMs);
  const startedAtMs = timeOf(state.running.startedAt, nowMs);
  return { state: 'running', ...identityOf(status), startedAtMs, isStarted: started, isReady: ready };
}

function exitedFrom(
  status: ContainerStatus,
  { terminated }: ContainerStatus['state'] = {},
  nowMs: number,
): ExitedContainer | undefined {
  if (terminated === undefined) return undefined;
  const { exitCode = 0, reason, message, startedAt, finishedAt, containerID } = terminated;
  return {
    state: 'exited',
    ...identityOf(status),
    ...(containerID === undefined || containerID === '' ? {} : { id: containerID }),
    startedAtMs: timeOf(startedAt, nowMs),
    finishedAtMs: timeOf(finishedAt, nowMs),
    exitCode,
    reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error'),
    ...(message === undefined || message === '' ? {} : { message }),
  };
}

const identityOf = ({ containerID = '', image = '', imageID = '' }: ContainerStatus) => ({
  id: containerID,
  image,
  imageID,
});

/** Times that a status does not have, or not well, are now. */
function timeOf(text: string | undefined, nowMs: number): number {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? nowMs : ms;
}
