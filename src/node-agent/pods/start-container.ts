/**
 * Starts one container of a pod: its image, its configuration, the container, its postStart hook.
 *
 * What fails is the reason for which the container waits: its status shows it, and an event says it.
 */
import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { undefinedWhenAbsent } from '../../base/undefined-when-absent.ts';
import { defaultPullPolicy } from '../../api/core/pods/pull-policy.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { PodContainer } from '../pod-lifecycle/containers.ts';
import { HookError } from '../hooks/hook-error.ts';
import { ImageError } from '../images/image-error.ts';
import type { PresentImage } from '../images/image-puller.ts';
import { pullSecrets } from '../images/pull-secrets.ts';
import type { ContainerConfig, PodSandboxConfig } from '../runtime/gen/cri.ts';
import type { MountedVolumes, VolumeImage } from '../volumes/volumes.ts';
import { ContainerConfigError } from './config/container-config-error.ts';
import { containerConfig } from './config/container-config.ts';
import { environmentOf, namedObjectsOf } from './config/environment.ts';
import { serviceVariables } from './config/service-links.ts';
import { podLogDirectory } from './config/sandbox-config.ts';
import { blockDevices, containerMounts, mappedMounts } from './container-mounts.ts';
import { killOne } from './kill-pod.ts';
import type { PodContext } from './pod-context.ts';
import { restartCountOf } from './pod-state.ts';
import { nameOf, type RuntimePod } from './runtime-pod.ts';

export interface StartRequest {
  readonly pod: Pod;
  readonly container: PodContainer;
  readonly sandboxId: string;
  readonly sandbox: PodSandboxConfig;
  readonly runtimePod: RuntimePod | undefined;
  readonly volumes: MountedVolumes;
  readonly podIPs: readonly string[];
  readonly signal: AbortSignal;
}

/** Why a container does not run. */
export class StartError extends Error {
  override readonly name = 'StartError';
  /** `CreateContainerError` */
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Throws a `StartError`. @returns its id */
export async function startContainer(request: StartRequest, context: PodContext): Promise<string> {
  const { pod, container, sandboxId, sandbox, signal } = request;
  const { runtime, events, hooks } = context;
  const fail = (reason: string, text: string): StartError => {
    events.ofContainer(pod, container, 'Warning', 'Failed', `Error: ${text}`);
    return new StartError(reason, text);
  };
  const config = await configOf(request, context, fail);
  let containerId: string;
  try {
    const made = await runtime.createContainer({ podSandboxId: sandboxId, config, sandboxConfig: sandbox }, { signal });
    containerId = made.containerId ?? '';
  } catch (error) {
    throw fail('CreateContainerError', (error as Error).message);
  }
  events.ofContainer(pod, container, 'Normal', 'Created', `Created container: ${container.name}`);
  try {
    await runtime.startContainer({ containerId });
  } catch (error) {
    throw fail('RunContainerError', (error as Error).message);
  }
  events.ofContainer(pod, container, 'Normal', 'Started', `Started container ${container.name}`);
  await linkLog(request, context, { containerId, logPath: config.logPath ?? '' });
  await postStart(request, context, containerId, hooks);
  return containerId;
}

async function postStart(
  { pod, container, sandboxId, podIPs, signal }: StartRequest,
  context: PodContext,
  containerId: string,
  hooks: PodContext['hooks'],
): Promise<void> {
  try {
    await hooks.postStart({ pod, container, containerId, podIPs, signal });
  } catch (error) {
    if (!(error instanceof HookError)) throw error;
    context.events.ofContainer(pod, container, 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
    const status = { id: containerId };
    await killOne(pod, container, { status, sandboxId }, context, { message: 'FailedPostStartHook' });
    throw new StartError('PostStartHookError', error.message);
  }
}

/** Everything of a container up to what the runtime is told. */
async function configOf(
  request: StartRequest,
  context: PodContext,
  fail: (reason: string, text: string) => StartError,
): Promise<ContainerConfig> {
  const { pod, container, podIPs, sandbox, runtimePod, volumes, signal } = request;
  const { images, events, objects, config, credentials: ofNode } = context;
  const event: Parameters<typeof images.ensure>[0]['event'] = (type, reason, message) =>
    events.ofContainer(pod, container, type, reason, message);
  const ensure = async (spec: typeof container.spec): Promise<PresentImage> => {
    const name = spec.image ?? '';
    const ofPod = await pullSecrets(pod, name, objects, events);
    const credentials = async () => [...ofPod, ...(await ofNode(name))];
    return images.ensure({ pod, container: spec, sandbox, credentials, event, signal }).catch((error: unknown) => {
      if (!(error instanceof ImageError)) throw error;
      events.ofContainer(pod, container, 'Warning', 'Failed', `Error: ${error.reason}`);
      throw new StartError(error.reason, error.message);
    });
  };
  const image = await ensure(container.spec);
  for (const { reference, pullPolicy } of volumeImagesOf(container, volumes))
    await ensure({ ...container.spec, image: reference, imagePullPolicy: pullPolicy ?? defaultPullPolicy(reference) });
  try {
    const namespace = pod.metadata.namespace ?? '';
    const named = await objects.namedObjects(namespace, namedObjectsOf(container.spec), signal);
    const environment = environmentOf({
      pod,
      container: container.spec,
      addresses: { hostIPs: context.hostIPs(), podIPs },
      services: serviceVariables(objects.services(), {
        namespace,
        hasLinks: pod.spec.enableServiceLinks !== false,
      }),
      objects: named,
      allocatable: objects.allocatable(),
    });
    const restartCount = await restartCountFor(request, context);
    await mkdir(`${sandbox.logDirectory}/${container.name}`, { recursive: true, mode: 0o755 });
    const grant = await context.allocations.grantOf(pod, container.name).catch((error: unknown) => {
      throw new ContainerConfigError((error as Error).message);
    });
    const users = sandbox.linux?.securityContext?.namespaceOptions?.usernsOptions;
    const mounts = mappedMounts(
      await containerMounts({ pod, container, volumes, podIPs, environment, context }),
      users,
    );
    const devices = blockDevices(container, volumes);
    const target = 'targetContainerName' in container.spec ? container.spec.targetContainerName : undefined;
    const targetId = runtimePod?.containers.find((candidate) => nameOf(candidate) === target)?.status.id;
    return containerConfig({
      pod,
      container,
      restartCount,
      imageRef: image.ref,
      image,
      environment,
      mounts,
      devices,
      grant,
      targetId,
      resources: config.resources,
      seccompDirectory: `${config.rootDirectory}/seccomp`,
      seccompDefault: config.seccompDefault,
      volumeGroups: volumes.groups,
      users,
    });
  } catch (error) {
    if (signal.aborted || !(error instanceof ContainerConfigError)) throw error;
    throw fail('CreateContainerConfigError', error.message);
  }
}

/** Images that the container mounts. */
const volumeImagesOf = ({ spec }: PodContainer, { byName }: MountedVolumes): readonly VolumeImage[] =>
  (spec.volumeMounts ?? []).flatMap(({ name = '' }) => byName.get(name)?.image ?? []);

/** One more than that of the last instance; where the runtime knows none, one more than the logs show. */
async function restartCountFor({ container, runtimePod, sandbox }: StartRequest, _: PodContext): Promise<number> {
  const last = runtimePod?.containers.find((candidate) => nameOf(candidate) === container.name);
  if (last !== undefined) return restartCountOf(last.status) + 1;
  const logs = (await readdir(`${sandbox.logDirectory}/${container.name}`).catch(undefinedWhenAbsent)) ?? [];
  return logs.reduce((count, file) => Math.max(count, Number(/^(\d+)\.log/.exec(file)?.[1] ?? -1) + 1), 0);
}

/** Programs that read logs find the log of a container by its names. */
async function linkLog(
  { pod, container }: StartRequest,
  { config, log }: PodContext,
  { containerId, logPath }: { readonly containerId: string; readonly logPath: string },
): Promise<void> {
  const { name, namespace } = pod.metadata;
  const target = `${podLogDirectory(config.podLogsDirectory, pod)}/${logPath}`;
  const link = `${`${name}_${namespace}_${container.name}-${containerId}`.slice(0, maxLinkName)}.log`;
  try {
    await mkdir(config.containerLogsDirectory, { recursive: true });
    await rm(`${config.containerLogsDirectory}/${link}`, { force: true });
    await symlink(target, `${config.containerLogsDirectory}/${link}`);
  } catch (error) {
    log.warn({ err: error, link }, 'the log of a container could not be linked');
  }
}

const maxLinkName = 251;
