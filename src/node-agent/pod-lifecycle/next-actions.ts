/**
 * What a runtime has to do next for a pod that lives: which containers start, and when the pod has come to its end.
 *
 * 1. Init containers run one after the other; a sidecar lets the next one go on as soon as it has started.
 * 2. The main containers start together once all of that is done. From then on sidecars that end are started again.
 * 3. What ended is started again as the restart policy says, after its back-off.
 * 4. When no main container runs and none is to start, the pod ends: sidecars are stopped, then the sandbox.
 *
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/ | Pod lifecycle}
 */
import { waitBeforeRestart } from './back-off.ts';
import { ephemeralContainersOf, initContainersOf, mainContainersOf, type PodContainer } from './containers.ts';
import { type ContainerInstance, instanceOf, type PodLike, type PodState } from './state.ts';

export interface NextActions {
  /** A sandbox has to be made before anything can start. */
  readonly needsSandbox: boolean;
  readonly start: readonly PodContainer[];
  /** To be started when their back-off is over. */
  readonly waiting: readonly WaitingContainer[];
  /** Nothing is left to do: what runs is stopped, and the pod has ended. */
  readonly hasEnded: boolean;
}

export interface WaitingContainer {
  readonly container: PodContainer;
  readonly inMs: number;
}

export function nextActions(pod: PodLike, state: PodState, nowMs: number): NextActions {
  const wanted = wantedContainers(pod, state);
  if (wanted === 'ended') return { needsSandbox: false, start: [], waiting: [], hasEnded: true };
  const start: PodContainer[] = [];
  const waiting: WaitingContainer[] = [];
  for (const container of wanted) {
    const record = state.containers.get(container.name);
    const inMs = record === undefined ? 0 : waitBeforeRestart(record, nowMs);
    if (inMs > 0) waiting.push({ container, inMs });
    else start.push(container);
  }
  return { needsSandbox: start.length > 0 && state.sandbox !== 'ready', start, waiting, hasEnded: false };
}

function wantedContainers(pod: PodLike, state: PodState): readonly PodContainer[] | 'ended' {
  const { spec } = pod;
  const mains = mainContainersOf(spec);
  const init = initContainersOf(spec);
  const ephemeral = state.sandbox === 'ready' ? ephemeralContainersOf(spec).filter(isNew(state)) : [];
  if (!mains.some(({ name }) => instanceOf(state, name) !== undefined)) {
    const steps = initSteps(pod, init, state);
    if (steps === 'failed') return 'ended';
    if (steps !== 'done') return [...ephemeral, ...steps];
  }
  const isKept = mains.some(({ name }) => isAlive(instanceOf(state, name)));
  const restarted = mains.filter(({ name }) => mustStart(pod, instanceOf(state, name)));
  if (!isKept && restarted.length === 0) return 'ended';
  const sidecars = init.filter(({ name, role }) => role === 'sidecar' && !isAlive(instanceOf(state, name)));
  return [...ephemeral, ...sidecars, ...restarted];
}

/** Which init containers start now, in their order; `done` when the main containers can. */
function initSteps(
  pod: PodLike,
  init: readonly PodContainer[],
  state: PodState,
): readonly PodContainer[] | 'done' | 'failed' {
  const reached = init.findLastIndex(({ name }) => instanceOf(state, name) !== undefined);
  // Sidecars that were passed are kept alive, and do not hold up the others.
  const again = init.slice(0, Math.max(reached, 0)).filter(({ name, role }) => {
    return role === 'sidecar' && !isAlive(instanceOf(state, name));
  });
  const next = (index: number): readonly PodContainer[] | 'done' =>
    index < init.length ? [...again, init[index]!] : again.length > 0 ? again : 'done';
  if (reached < 0) return next(0);
  const { name, role } = init[reached]!;
  const instance = instanceOf(state, name)!;
  if (role === 'sidecar') {
    if (instance.state === 'exited') return next(reached);
    return instance.state === 'running' && instance.isStarted ? next(reached + 1) : again;
  }
  if (instance.state !== 'exited') return again;
  if (instance.exitCode === 0) return next(reached + 1);
  return pod.spec.restartPolicy === 'Never' ? 'failed' : next(reached);
}

const isNew =
  (state: PodState) =>
  ({ name }: PodContainer): boolean =>
    instanceOf(state, name) === undefined;

const isAlive = (instance: ContainerInstance | undefined): boolean =>
  instance !== undefined && instance.state !== 'exited';

function mustStart({ spec: { restartPolicy } }: PodLike, instance: ContainerInstance | undefined): boolean {
  if (instance === undefined) return true;
  if (instance.state !== 'exited') return false;
  return restartPolicy === 'OnFailure' ? instance.exitCode !== 0 : restartPolicy !== 'Never';
}
