/**
 * The status of a container, from what the runtime knows of it.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-states | Container states}
 */
import type {
  Container,
  ContainerState,
  ContainerStatus,
  PodSpec,
  VolumeMountStatus,
} from '../../api/gen/types/core-v1.ts';
import { formatTime } from '../../machinery/time.ts';
import { ephemeralContainersOf, initContainersOf, mainContainersOf, type PodContainer } from './containers.ts';
import type { ContainerInstance, ContainerRecord, ExitedContainer, PodState } from './state.ts';

export interface ContainerStatuses {
  /** In the order of the spec. */
  readonly init: readonly ContainerStatus[];
  /** By name, as the other ones below. */
  readonly main: readonly ContainerStatus[];
  readonly ephemeral: readonly ContainerStatus[];
}

export function containerStatuses(spec: PodSpec, state: PodState): ContainerStatuses {
  const init = initContainersOf(spec);
  const unmade = init.length > 0 ? 'PodInitializing' : 'ContainerCreating';
  const statusOf = (container: PodContainer): ContainerStatus =>
    containerStatus(
      container,
      state.containers.get(container.name),
      container.role === 'ephemeral' ? 'ContainerCreating' : unmade,
    );
  return {
    init: init.map(statusOf),
    main: mainContainersOf(spec).map(statusOf).sort(byName),
    ephemeral: ephemeralContainersOf(spec).map(statusOf).sort(byName),
  };
}

const byName = (a: ContainerStatus, b: ContainerStatus): number => (a.name! < b.name! ? -1 : 1);

/** @param unmade why a container waits of which nothing is known */
export function containerStatus(
  { name, role, spec }: PodContainer,
  record: ContainerRecord | undefined,
  unmade: string,
): ContainerStatus {
  const newest = record?.newest;
  const isRunning = newest?.state === 'running';
  const isStarted = isRunning && newest.isStarted;
  const volumeMounts = mountStatuses(spec);
  return {
    name,
    ...statesOf(record, unmade),
    ready: isReady(role, newest, isStarted),
    restartCount: record?.restartCount ?? 0,
    image: newest?.image ?? spec.image ?? '',
    imageID: newest?.imageID ?? '',
    ...(newest === undefined || newest.id === '' ? {} : { containerID: newest.id }),
    ...(role === 'ephemeral' ? {} : { started: isStarted }),
    ...(volumeMounts.length === 0 ? {} : { volumeMounts }),
  };
}

function isReady(role: PodContainer['role'], newest: ContainerInstance | undefined, isStarted: boolean): boolean {
  if (newest?.state === 'running') return role === 'main' || role === 'sidecar' ? isStarted && newest.isReady : false;
  return role === 'init' && newest?.state === 'exited' && newest.exitCode === 0;
}

function statesOf(
  record: ContainerRecord | undefined,
  unmade: string,
): { state: ContainerState; lastState: ContainerState } {
  const { newest, previous, waiting } = record ?? {};
  const before: ContainerState = previous === undefined ? {} : terminated(previous);
  if (waiting !== undefined) {
    // The end of the newest instance is what was before the wait.
    const lastState = newest?.state === 'exited' ? terminated(newest) : before;
    return { state: { waiting: { ...waiting } }, lastState };
  }
  switch (newest?.state) {
    case 'running':
      return { state: { running: { startedAt: timeText(newest.startedAtMs) } }, lastState: before };
    case 'exited':
      return { state: terminated(newest), lastState: before };
    default:
      return { state: { waiting: { reason: unmade } }, lastState: before };
  }
}

export function terminated({
  exitCode,
  signal,
  reason,
  message,
  startedAtMs,
  finishedAtMs,
  id,
}: ExitedContainer): ContainerState {
  return {
    terminated: {
      exitCode,
      ...(signal === undefined ? {} : { signal }),
      reason,
      ...(message === undefined ? {} : { message }),
      startedAt: timeText(startedAtMs),
      finishedAt: timeText(finishedAtMs),
      ...(id === '' ? {} : { containerID: id }),
    },
  };
}

const mountStatuses = ({ volumeMounts = [] }: Pick<Container, 'volumeMounts'>): VolumeMountStatus[] =>
  volumeMounts.map(({ name, mountPath, readOnly, recursiveReadOnly }) => ({
    name: name ?? '',
    mountPath: mountPath ?? '',
    ...(readOnly === true
      ? { readOnly, recursiveReadOnly: recursiveReadOnly === 'Enabled' ? 'Enabled' : 'Disabled' }
      : {}),
  }));

/** RFC 3339 in whole seconds. */
export const timeText = (ms: number): string => formatTime(Math.floor(ms / 1000));
