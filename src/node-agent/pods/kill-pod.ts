/**
 * Ends the containers of a pod, and then its sandbox.
 *
 * The main containers end together, then the sidecars from the last to the first. The preStop hooks of all of them run
 * at the beginning, at the same time. One period of grace is for all of it; a container gets two seconds at the least.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination | Termination of Pods}
 */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import {
  ephemeralContainersOf,
  initContainersOf,
  mainContainersOf,
  type PodContainer,
} from '../pod-lifecycle/containers.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { runtimeErrorText, unlessGone } from '../runtime/container-runtime.ts';
import type { PodContext } from './pod-context.ts';
import { isReadySandbox } from './pod-state.ts';
import { isRunning, nameOf, type RuntimeContainer, type RuntimePod } from './runtime-pod.ts';

/** The least that a runtime gets to stop a container, however short the period of grace is. */
const leastGraceSeconds = 2;

export interface KillOptions {
  /** In place of what the pod says. 0: at once, without hooks. */
  readonly graceSeconds?: number | undefined;
  /** Why, for the event of a container. */
  readonly message?: (container: PodContainer) => string;
}

export const allContainersOf = ({ spec }: Pick<Pod, 'spec'>): PodContainer[] => [
  ...initContainersOf(spec),
  ...mainContainersOf(spec),
  ...ephemeralContainersOf(spec),
];

/** Seconds from now to the kill. A deletion says how many; else the pod does. */
export const graceOf = ({ metadata, spec }: Pick<Pod, 'metadata' | 'spec'>): number =>
  Number(metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30);

/** Rejects when something of the pod may still run. Tried again, it goes on with what is left. */
export async function killPod(
  pod: Pod,
  runtimePod: RuntimePod | undefined,
  context: PodContext,
  options: KillOptions = {},
): Promise<void> {
  await killContainers(pod, runtimePod, context, options);
  const { runtime } = context;
  const sandboxes = runtimePod?.sandboxes ?? [];
  await Promise.all(
    sandboxes
      .filter((sandbox, index) => index === 0 || isReadySandbox(sandbox))
      .map(({ id = '' }) => unlessGone(runtime.stopPodSandbox({ podSandboxId: id }))),
  );
}

async function killContainers(
  pod: Pod,
  runtimePod: RuntimePod | undefined,
  context: PodContext,
  options: KillOptions,
): Promise<void> {
  const running = (runtimePod?.containers ?? []).filter(isRunning);
  const known = allContainersOf(pod);
  const ends = new Map<string, Promise<void>>();
  const deadlineMs = context.clock.now() + (options.graceSeconds ?? graceOf(pod)) * 1000;
  const begin: (() => void)[] = [];
  const started = new Promise<void>((resolve) => begin.push(resolve));
  const kills = running.map((container) => {
    const name = nameOf(container);
    const spec = known.find((candidate) => candidate.name === name) ?? unknownContainer(name);
    const end = started.then(() =>
      killContainer({ pod, spec, container, context, options, deadlineMs, first: endsBefore(spec, known, ends) }),
    );
    ends.set(name, end);
    return end;
  });
  begin[0]!();
  const failures = (await Promise.allSettled(kills)).filter((result) => result.status === 'rejected');
  if (failures.length > 0) throw failures[0]!.reason;
}

/** A container that the pod does not have any more. */
const unknownContainer = (name: string): PodContainer => ({ name, role: 'main', spec: { name, resources: {} } });

/** What has to end before a sidecar: all that is no sidecar, and the sidecars after it. */
function endsBefore(
  { name, role }: PodContainer,
  known: readonly PodContainer[],
  ends: ReadonlyMap<string, Promise<void>>,
): readonly Promise<void>[] {
  if (role !== 'sidecar') return [];
  const sidecars = known.filter((container) => container.role === 'sidecar').map((container) => container.name);
  const before = new Set(sidecars.slice(0, sidecars.indexOf(name) + 1));
  return [...ends].filter(([other]) => !before.has(other)).map(([, end]) => end);
}

interface Kill {
  readonly pod: Pod;
  readonly spec: PodContainer;
  readonly container: RuntimeContainer;
  readonly context: PodContext;
  readonly options: KillOptions;
  readonly deadlineMs: number;
  readonly first: readonly Promise<void>[];
}

async function killContainer({ pod, spec, container, context, options, deadlineMs, first }: Kill): Promise<void> {
  const { events, hooks, runtime, clock, probes } = context;
  const containerId = container.status.id ?? '';
  const message = options.message?.(spec) ?? `Stopping container ${spec.name}`;
  events.ofContainer(pod, spec, 'Normal', 'Killing', message);
  probes.stopOf(containerId);
  if ((options.graceSeconds ?? graceOf(pod)) > 0) {
    const limit = new AbortController();
    const timer = clock.after(Math.max(0, deadlineMs - clock.now()), () => limit.abort());
    await hooks.preStop({ pod, container: spec, containerId, signal: limit.signal });
    timer.cancel();
  }
  await untilDeadline(Promise.allSettled(first), deadlineMs - clock.now(), clock);
  const leftSeconds = Math.max(leastGraceSeconds, Math.ceil((deadlineMs - clock.now()) / 1000));
  try {
    await unlessGone(runtime.stopContainer({ containerId, timeout: leftSeconds }));
  } catch (error) {
    throw new Error(`failed to "KillContainer" for "${spec.name}" with ${runtimeErrorText(error)}`, { cause: error });
  }
}

async function untilDeadline(promise: Promise<unknown>, leftMs: number, clock: Clock): Promise<void> {
  const ended = new AbortController();
  await Promise.race([promise, sleep(clock, Math.max(0, leftMs), ended.signal)]);
  ended.abort();
}

/** One container, because it has changed or is not well; the pod goes on. */
export const killOne = (
  pod: Pod,
  spec: PodContainer,
  container: RuntimeContainer,
  context: PodContext,
  { message, graceSeconds }: { readonly message: string; readonly graceSeconds?: number | undefined },
): Promise<void> =>
  killContainer({
    pod,
    spec,
    container,
    context,
    options: { message: () => message, graceSeconds },
    deadlineMs: context.clock.now() + (graceSeconds ?? graceOf(pod)) * 1000,
    first: [],
  });
