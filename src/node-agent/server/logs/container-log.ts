/** Which log of a container a request is for. */
import type { ContainerStatus, Pod } from '../../../api/gen/types/core-v1.ts';

/** There is no log to show: the reason, in upstream's words. */
export class NoLog extends Error {}

/** The id of the container, as the runtime has it. Throws {@link NoLog}. */
export function containerOfLog(pod: Pod, container: string, isPrevious: boolean): string {
  const id = idOf(pod, container, isPrevious);
  return id.slice(id.indexOf('://') + (id.includes('://') ? 3 : 1));
}

function idOf(pod: Pod, container: string, isPrevious: boolean): string {
  const { name = '' } = pod.metadata;
  const about = `container ${JSON.stringify(container)} in pod ${JSON.stringify(name)}`;
  const status = statusOf(pod, container);
  if (status === undefined) throw new NoLog(`${about} is not available`);
  const { running, terminated, waiting } = status.state ?? {};
  const before = status.lastState?.terminated?.containerID ?? '';
  if (isPrevious) {
    if (before === '') throw new NoLog(`previous terminated ${about} not found`);
    return before;
  }
  if (isSet(running)) return status.containerID ?? '';
  if (isSet(terminated) || isSet(status.lastState?.terminated)) {
    const ended = (terminated?.containerID ?? '') || before;
    if (ended === '') throw new NoLog(`${about} is terminated`);
    return ended;
  }
  if (!isSet(waiting)) throw new NoLog(`${about} is waiting to start - no logs yet`);
  const { reason = '' } = waiting;
  throw new NoLog(`${about} is waiting to start: ${pulls[reason] ?? reason}`);
}

const isSet = <T>(value: T | null | undefined): value is T => value !== undefined && value !== null;

const pulls: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};

function statusOf({ status }: Pod, container: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status ?? {};
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
    ({ name }) => name === container,
  );
}

export const hasContainer = ({ spec }: Pod, container: string): boolean =>
  [...(spec.containers ?? []), ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])].some(
    ({ name }) => name === container,
  );
