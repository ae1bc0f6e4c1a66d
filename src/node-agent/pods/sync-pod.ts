/**
 * Brings a pod that lives as far as it gets now.
 *
 * 1. The status is that of the containers, and is kept to be written.
 * 2. Directories, the control group and volumes are made.
 * 3. A sandbox is made, anew where the old one does not do any more.
 * 4. Containers that have changed or are not well are stopped.
 * 5. Containers start, in their order. One that fails does not hold up the others.
 */
import type { Container, Pod } from '../../api/gen/types/core-v1.ts';
import { crashLoopReason, nextBackOff } from '../pod-lifecycle/back-off.ts';
import type { PodContainer } from '../pod-lifecycle/containers.ts';
import { untilDeadline } from '../pod-lifecycle/deadline.ts';
import { nextActions } from '../pod-lifecycle/next-actions.ts';
import type { PodState } from '../pod-lifecycle/state.ts';
import { runtimeErrorText, unlessGone } from '../runtime/container-runtime.ts';
import type { PodSandboxConfig, PodSandboxStatus } from '../runtime/gen/cri.ts';
import { podText } from './config/container-config.ts';
import { podDns } from './config/dns.ts';
import { hostNameOf } from './config/host-name.ts';
import { containerHash, hashAnnotation } from './config/labels.ts';
import { sandboxConfig } from './config/sandbox-config.ts';
import { allContainersOf, killOne, killPod } from './kill-pod.ts';
import type { PodContext } from './pod-context.ts';
import type { PodMemory } from './pod-memory.ts';
import { addressesOf, isReadySandbox, stateInSandbox } from './pod-state.ts';
import { tooManyOfPod } from './dead-containers.ts';
import { publishStatus, stateOf } from './publish-status.ts';
import { preparePod } from './prepare-pod.ts';
import { resizeContainers } from './resize/resize-containers.ts';
import { isRunning, nameOf, type RuntimePod } from './runtime-pod.ts';
import { startContainer, StartError } from './start-container.ts';

export type SyncOutcome =
  /** Nothing is left to run: the pod is to be ended. */
  | { readonly hasEnded: true }
  /** Something changed: it is looked at again at once. */
  | { readonly again: true }
  /** When it is looked at again, in milliseconds; what failed makes it sooner. */
  | { readonly inMs: number | undefined; readonly hasFailed: boolean };

export interface SyncInput {
  readonly pod: Pod;
  readonly memory: PodMemory;
  readonly signal: AbortSignal;
}

/** Rejects when the runtime, the node or the API server does. */
export async function syncPod(asked: SyncInput, context: PodContext): Promise<SyncOutcome> {
  // What a pod asks for anew it has once it fits.
  const pod = (await context.resizes?.allocate(asked.pod)) ?? asked.pod;
  const input = { ...asked, pod };
  const { memory, signal } = input;
  let runtimePod = await currentPod(input, context);
  const state = stateOf(pod, runtimePod, memory, context);
  startProbes(pod, runtimePod, context);
  const { phase } = publishStatus({ pod, state, memory, stage: 'alive' }, context);
  if (phase === 'Succeeded' || phase === 'Failed') return { hasEnded: true };
  if (untilDeadline(pod.spec, memory.startTimeMs, context.nowMs()) === 0) return { hasEnded: true };
  // The status has shown them once more.
  runtimePod = await withoutOlder(pod, runtimePod, context);
  const volumes = await preparePod({ pod, memory, podIPs: state.podIPs, signal }, context);
  const changed = await ensureSandbox(input, runtimePod, state, context, volumes.groups);
  if (changed === 'ended') return { hasEnded: true };
  if (changed !== undefined) runtimePod = changed;
  const sandbox = runtimePod!.sandboxes[0]!;
  const current = stateInSandbox(stateOf(pod, runtimePod, memory, context), runtimePod, pod.spec.restartPolicy);
  const isStopped = await stopUnwell(input, runtimePod!, context);
  if (isStopped || (await resizeContainers(pod, runtimePod!, context))) {
    memory.isStale = true;
    return { again: true };
  }
  const actions = nextActions(pod, current, context.nowMs());
  if (actions.hasEnded) return { hasEnded: true };
  const waitingBefore = JSON.stringify([...memory.waiting]);
  for (const { container } of actions.waiting) {
    const backOff = memory.backOff.get(container.name);
    if (backOff === undefined) continue;
    memory.waiting.set(container.name, crashLoopReason(pod, container.name, backOff));
    context.events.ofContainer(
      pod,
      container,
      'Warning',
      'BackOff',
      `Back-off restarting failed container ${container.name} in pod ${podText(pod)}`,
    );
  }
  const podIPs = pod.spec.hostNetwork === true ? context.hostIPs() : addressesOf(sandbox);
  const started: string[] = [];
  let hasFailed = actions.waiting.length > 0;
  if (memory.users === undefined && actions.start.length > 0)
    memory.users = await usersOf(pod, await handlerOf(pod, context), context);
  const config = configOfSandbox(input, sandbox.metadata?.attempt ?? 0, context, volumes.groups);
  for (const container of actions.start) {
    signal.throwIfAborted();
    memory.isStale = true;
    const record = current.containers.get(container.name);
    const backOff =
      record === undefined ? undefined : nextBackOff(record, context.nowMs(), context.config.maxRestartDelayMs);
    try {
      const request = {
        pod,
        container,
        sandboxId: sandbox.id ?? '',
        sandbox: config,
        runtimePod,
        volumes,
        podIPs,
        signal,
      };
      const containerId = await startContainer(request, context);
      context.resizes?.applied(pod.metadata.uid ?? '', containerId, container.spec as Container);
      memory.waiting.delete(container.name);
      started.push(containerId);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      memory.waiting.set(container.name, { reason: error.reason, message: error.message });
      hasFailed = true;
    }
    if (backOff !== undefined) memory.backOff.set(container.name, backOff);
  }
  if (started.length > 0 && started.length === actions.start.length) {
    for (const id of started) await context.cache.learnContainer(podKey(pod), id, sandbox.id ?? '');
    memory.isStale = false;
  }
  if (started.length > 0 || changed !== undefined) return { again: true };
  const isNews = JSON.stringify([...memory.waiting]) !== waitingBefore;
  // @NOTE differs from upstream: a container restarts when its back-off is over, not 10 to 15 s later.
  const soonest = Math.min(...actions.waiting.map(({ inMs }) => inMs), isNews ? newsMs : Infinity);
  const deadlineMs = untilDeadline(pod.spec, memory.startTimeMs, context.nowMs()) ?? Infinity;
  const inMs = Math.min(soonest, deadlineMs);
  return { inMs: Number.isFinite(inMs) ? inMs : undefined, hasFailed };
}

/** After which the status shows why containers wait. */
const newsMs = 1000;

/** Without containers that were made and never started: the agent ended in between. */
async function currentPod({ pod, memory }: SyncInput, context: PodContext): Promise<RuntimePod | undefined> {
  const uid = pod.metadata.uid ?? '';
  const { cache, runtime } = context;
  const runtimePod = memory.isStale ? await cache.refresh(uid) : cache.get(uid);
  memory.isStale = false;
  const unstarted = (runtimePod?.containers ?? []).filter(
    ({ status }) => (status.state ?? 'CONTAINER_CREATED') === 'CONTAINER_CREATED',
  );
  if (unstarted.length === 0) return runtimePod;
  for (const { status } of unstarted) await runtime.removeContainer({ containerId: status.id ?? '' });
  return cache.refresh(uid);
}

/** Of a container that has ended the one before is of no use any more: it goes before others start, by the limits. */
async function withoutOlder(
  pod: Pod,
  runtimePod: RuntimePod | undefined,
  context: PodContext,
): Promise<RuntimePod | undefined> {
  const { config, nowMs } = context;
  const older = tooManyOfPod(runtimePod?.containers ?? [], config.deadContainers, nowMs());
  let left = runtimePod;
  for (const { status } of older) {
    const containerId = status.id ?? '';
    try {
      await unlessGone(context.runtime.removeContainer({ containerId }));
      left = context.cache.forgetContainer(podKey(pod), containerId);
    } catch (error) {
      context.log.warn({ err: error, containerId }, 'a container that has ended could not be removed');
    }
  }
  return left;
}

function startProbes(pod: Pod, runtimePod: RuntimePod | undefined, context: PodContext): void {
  const running = (runtimePod?.containers ?? []).filter(isRunning);
  context.probes.keepOnly(pod.metadata.uid ?? '', new Set(running.map(({ status }) => status.id ?? '')));
  const podIPs = pod.spec.hostNetwork === true ? context.hostIPs() : addressesOf(runtimePod?.sandboxes[0]);
  for (const container of running) {
    const spec = allContainersOf(pod).find(({ name }) => name === nameOf(container));
    if (spec === undefined || spec.role === 'ephemeral' || spec.role === 'init') continue;
    const startedAtMs = Number(BigInt(container.status.startedAt ?? 0) / 1_000_000n);
    context.probes.startOf(pod, spec, container.status.id ?? '', podIPs, startedAtMs);
  }
}

/**
 * The pod after a new sandbox was made; undefined when the old one does; `ended` when nothing is to run in a new one.
 */
async function ensureSandbox(
  { pod, memory, signal }: SyncInput,
  runtimePod: RuntimePod | undefined,
  state: PodState,
  context: PodContext,
  volumeGroups: readonly (number | bigint)[],
): Promise<RuntimePod | 'ended' | undefined> {
  const sandboxes = runtimePod?.sandboxes ?? [];
  if (!mustMakeSandbox(pod, sandboxes)) return undefined;
  const { runtime, events, cache } = context;
  const isFirst = sandboxes.length === 0;
  if (!isFirst) {
    if (nextActions(pod, state, context.nowMs()).hasEnded) return 'ended';
    events.ofPod(pod, 'Normal', 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.');
    await killPod(pod, runtimePod, context);
  }
  const attempt = Math.max(-1, ...sandboxes.map(({ metadata }) => metadata?.attempt ?? 0)) + 1;
  let sandboxId: string;
  try {
    const runtimeHandler = await handlerOf(pod, context);
    memory.users = await usersOf(pod, runtimeHandler, context);
    const config = configOfSandbox({ pod, memory }, attempt, context, volumeGroups);
    const dns = podDns(pod, context.config.dns);
    for (const problem of dns.problems) events.ofPod(pod, 'Warning', 'DNSConfigForming', problem);
    sandboxId = (await runtime.runPodSandbox({ config, runtimeHandler }, { signal })).podSandboxId ?? '';
  } catch (error) {
    if (signal.aborted) throw error;
    const text = `Failed to create pod sandbox: ${runtimeErrorText(error)}`;
    events.ofPod(pod, 'Warning', 'FailedCreatePodSandBox', text);
    throw error;
  } finally {
    memory.isStale = true;
  }
  const made = isFirst ? await cache.learnSandbox(podKey(pod), sandboxId) : await cache.refresh(podKey(pod).uid);
  if (made?.sandboxes[0] === undefined) throw new Error('the runtime does not know the sandbox that it has made');
  memory.isStale = false;
  return made;
}

const podKey = ({ metadata: { uid = '', name = '', namespace = '' } }: Pod) => ({ uid, name, namespace });

/** The runtime's name for the runtime class of the pod. */
const handlerOf = (pod: Pod, { objects }: PodContext): Promise<string> =>
  pod.spec.runtimeClassName === undefined ? Promise.resolve('') : objects.runtimeHandler(pod.spec.runtimeClassName);

function mustMakeSandbox(pod: Pod, sandboxes: readonly PodSandboxStatus[]): boolean {
  const [newest] = sandboxes;
  if (newest === undefined || !isReadySandbox(newest)) return true;
  if (sandboxes.filter(isReadySandbox).length > 1) return true;
  const isHost = pod.spec.hostNetwork === true;
  const wasHost = newest.linux?.namespaces?.options?.network === 'NODE';
  return isHost !== wasHost || (!isHost && addressesOf(newest).length === 0);
}

/** Undefined for a pod whose users are those of the node. */
const usersOf = (pod: Pod, runtimeHandler: string, { userNamespaces }: PodContext) =>
  pod.spec.hostUsers === false && userNamespaces !== undefined
    ? userNamespaces.ensure(pod, runtimeHandler)
    : Promise.resolve(undefined);

function configOfSandbox(
  { pod, memory: { users } }: Pick<SyncInput, 'pod' | 'memory'>,
  attempt: number,
  { config }: PodContext,
  volumeGroups: readonly (number | bigint)[],
): PodSandboxConfig {
  return sandboxConfig({
    pod,
    attempt,
    hostName: hostNameOf(pod, config.dns.clusterDomain),
    dns: podDns(pod, config.dns),
    podLogsDirectory: config.podLogsDirectory,
    resources: config.resources,
    cgroups: config.cgroups,
    cgroupsPerQos: config.cgroupsPerQos,
    volumeGroups,
    users,
  });
}

/** Stops what has another image now, and what its probes have given up. @returns whether anything was stopped */
async function stopUnwell({ pod }: SyncInput, runtimePod: RuntimePod, context: PodContext): Promise<boolean> {
  const specs = new Map(allContainersOf(pod).map((container) => [container.name, container]));
  const kills: Promise<void>[] = [];
  let staysAlive = false;
  const unwell: { spec: PodContainer; container: RuntimePod['containers'][number]; message: string; grace?: number }[] =
    [];
  for (const container of runtimePod.containers.filter(isRunning)) {
    const spec = specs.get(nameOf(container));
    if (spec === undefined) continue;
    const hash = container.status.annotations?.[hashAnnotation];
    const failed = context.probes.failureOf(container.status.id ?? '');
    if (hash !== containerHash(spec.spec) && spec.role !== 'ephemeral')
      unwell.push({ spec, container, message: `Container ${spec.name} definition changed, will be restarted` });
    else if (failed !== undefined) unwell.push({ spec, container, ...failure(pod, spec, failed) });
    else staysAlive ||= spec.role === 'main';
  }
  const isOver = pod.spec.restartPolicy === 'Never' && !staysAlive;
  for (const { spec, container, message, grace } of unwell)
    kills.push(
      killOne(pod, spec, container, context, {
        message: isOver && spec.role === 'main' ? `Stopping container ${spec.name}` : message,
        graceSeconds: grace,
      }),
    );
  await Promise.all(kills);
  return kills.length > 0;
}

function failure(pod: Pod, { name, role, spec }: PodContainer, kind: 'liveness' | 'startup') {
  const probe = kind === 'liveness' ? spec.livenessProbe : spec.startupProbe;
  const grace = probe?.terminationGracePeriodSeconds;
  const restarts = role === 'sidecar' || pod.spec.restartPolicy !== 'Never';
  return {
    message: restarts ? `Container ${name} failed ${kind} probe, will be restarted` : `Stopping container ${name}`,
    ...(grace === undefined ? {} : { grace: Number(grace) }),
  };
}
