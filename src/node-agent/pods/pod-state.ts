/** The state of a pod, in the words of its life cycle, from what the runtime has of it. */
import type { ContainerRecord, ExitedContainer, PodState, WaitingReason } from '../pod-lifecycle/state.ts';
import type { BackOff, ContainerInstance } from '../pod-lifecycle/state.ts';
import type { ContainerStatus, PodSandboxStatus } from '../runtime/gen/cri.ts';
import { restartCountAnnotation } from './config/labels.ts';
import { nameOf, type RuntimeContainer, type RuntimePod } from './runtime-pod.ts';

/** What only this process knows of a pod's containers. */
export interface ContainerMemory {
  /** By name of the container. */
  readonly waiting: ReadonlyMap<string, WaitingReason>;
  readonly backOff: ReadonlyMap<string, BackOff>;
  /** By id of the container, which runs. */
  isStarted(id: string, name: string): boolean;
  isReady(id: string, name: string): boolean;
}

/** Of all terminated containers together. */
const maxMessageBytes = 12 * 1024;

/** @param runtimeName the scheme of container ids: `containerd` */
export function podState(pod: RuntimePod | undefined, memory: ContainerMemory, runtimeName: string): PodState {
  const { sandboxes = [], containers = [] } = pod ?? {};
  const byName = new Map<string, RuntimeContainer[]>();
  for (const container of containers) {
    const name = nameOf(container);
    byName.set(name, [...(byName.get(name) ?? []), container]);
  }
  const names = new Set([...byName.keys(), ...memory.waiting.keys()]);
  const limit = messageLimit(containers);
  const records = [...names].map((name): [string, ContainerRecord] => {
    const [newest, previous] = byName.get(name) ?? [];
    const before = previous === undefined ? undefined : instance(previous, memory, runtimeName, limit);
    return [
      name,
      {
        newest: newest === undefined ? undefined : instance(newest, memory, runtimeName, limit),
        previous: before?.state === 'exited' ? before : undefined,
        restartCount: newest === undefined ? 0 : restartCountOf(newest.status),
        waiting: newest?.status.state === 'CONTAINER_RUNNING' ? undefined : memory.waiting.get(name),
        backOff: memory.backOff.get(name),
      },
    ];
  });
  const [sandbox] = sandboxes;
  return {
    sandbox: sandbox === undefined ? 'none' : isReadySandbox(sandbox) ? 'ready' : 'stopped',
    podIPs: addressesOf(sandbox),
    containers: new Map(records),
  };
}

export const isReadySandbox = ({ state }: Pick<PodSandboxStatus, 'state'>): boolean =>
  (state ?? 'SANDBOX_READY') === 'SANDBOX_READY';

export function addressesOf(sandbox: PodSandboxStatus | undefined): readonly string[] {
  const { ip = '', additionalIps = [] } = sandbox?.network ?? {};
  return ip === '' ? [] : [ip, ...additionalIps.flatMap((more) => (more.ip === undefined ? [] : [more.ip]))];
}

export function restartCountOf({ annotations = {}, metadata }: ContainerStatus): number {
  const count = Number(annotations[restartCountAnnotation]);
  return Number.isInteger(count) ? count : (metadata?.attempt ?? 0);
}

/** Each terminated container with last words has the same part. */
function messageLimit(containers: readonly RuntimeContainer[]): number {
  const count = new Set(containers.filter(({ terminationMessage = '' }) => terminationMessage !== '').map(nameOf)).size;
  return count === 0 ? maxMessageBytes : Math.floor(maxMessageBytes / count);
}

function instance(
  { status, terminationMessage }: RuntimeContainer,
  memory: ContainerMemory,
  runtimeName: string,
  limit: number,
): ContainerInstance {
  const { id = '', image, imageRef = '' } = status;
  const name = status.metadata?.name ?? '';
  const common = { id: `${runtimeName}://${id}`, image: image?.image ?? '', imageID: imageRef };
  // The zero value of an enumeration is not on the wire.
  switch (status.state ?? 'CONTAINER_CREATED') {
    case 'CONTAINER_CREATED':
      return { ...common, state: 'created' };
    case 'CONTAINER_RUNNING':
      return {
        ...common,
        state: 'running',
        startedAtMs: milliseconds(status.startedAt),
        isStarted: memory.isStarted(id, name),
        isReady: memory.isReady(id, name),
      };
    case 'CONTAINER_EXITED':
      return { ...common, ...exited(status, terminationMessage, limit) };
    default:
      return {
        ...common,
        state: 'exited',
        startedAtMs: milliseconds(status.startedAt),
        finishedAtMs: milliseconds(status.finishedAt),
        exitCode: 137,
        reason: 'ContainerStatusUnknown',
      };
  }
}

function exited(
  { startedAt, finishedAt, exitCode = 0, reason = '', message = '' }: ContainerStatus,
  lastWords: string | undefined,
  limit: number,
): Omit<ExitedContainer, 'id' | 'image' | 'imageID'> {
  const text = [message, truncated(lastWords ?? '', limit)].filter((part) => part !== '').join(': ');
  return {
    state: 'exited',
    startedAtMs: milliseconds(startedAt),
    finishedAtMs: milliseconds(finishedAt),
    exitCode,
    reason: reason || (exitCode === 0 ? 'Completed' : 'Error'),
    ...(text === '' ? {} : { message: text }),
  };
}

const truncated = (text: string, bytes: number): string =>
  Buffer.byteLength(text) <= bytes ? text : Buffer.from(text).subarray(0, bytes).toString();

const milliseconds = (nanoseconds: number | bigint = 0): number => Number(BigInt(nanoseconds) / 1_000_000n);

/**
 * The same state for the question of what starts next: a container of an earlier sandbox counts as never made, unless
 * it is not to run again.
 */
export function stateInSandbox(
  state: PodState,
  pod: RuntimePod | undefined,
  restartPolicy: string | undefined,
): PodState {
  const current = pod?.sandboxes[0]?.id;
  const isKept = (name: string, { newest }: ContainerRecord): boolean => {
    const container = pod?.containers.find((candidate) => nameOf(candidate) === name);
    if (container === undefined || container.sandboxId === current) return true;
    if (newest?.state !== 'exited') return true;
    return restartPolicy === 'Never' || (restartPolicy === 'OnFailure' && newest.exitCode === 0);
  };
  return { ...state, containers: new Map([...state.containers].filter(([name, record]) => isKept(name, record))) };
}
