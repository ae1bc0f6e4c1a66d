/**
 * What a pod needs of the node before its sandbox is made: directories, a control group, volumes, claims. That is made
 * and looked at again when the pod has changed or got its addresses, and with each regular sync; a sync that only
 * follows what the runtime did relies on it.
 */
import { mkdir } from 'node:fs/promises';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import type { MountedVolumes } from '../volumes/volumes.ts';
import { podLogDirectory } from './config/sandbox-config.ts';
import type { PodContext } from './pod-context.ts';
import type { PodMemory } from './pod-memory.ts';
import { podDirectory } from './pods-config.ts';

interface PrepareInput {
  readonly pod: Pod;
  readonly memory: PodMemory;
  readonly podIPs: readonly string[];
  readonly signal: AbortSignal;
}

/** Rejects when something of it cannot be made. */
export async function preparePod(
  { pod, memory, podIPs, signal }: PrepareInput,
  context: PodContext,
): Promise<MountedVolumes> {
  const { config, cgroups, volumes, clock } = context;
  const { prepared, changes } = memory;
  if (prepared !== undefined && clock.now() - prepared.at < config.syncFrequencyMs)
    if (isSamePod(prepared.pod, pod) && isEqual(prepared.podIPs, podIPs)) return prepared.volumes;
  memory.prepared = undefined;
  await makeDirectories(pod, context);
  if (config.cgroupsPerQos) await cgroups.ensure(pod);
  const mounted = await volumes.setUp(pod, { podIPs, signal });
  await prepareResources(pod, context);
  // What has changed meanwhile is looked at with the next sync.
  if (memory.changes === changes) memory.prepared = { pod, podIPs, at: clock.now(), volumes: mounted };
  return mounted;
}

/** In all that volumes and groups are made from. */
const isSamePod = (a: Pod, b: Pod): boolean =>
  a === b ||
  (isEqual(a.spec, b.spec) &&
    isEqual(a.metadata.labels, b.metadata.labels) &&
    isEqual(a.metadata.annotations, b.metadata.annotations));

async function prepareResources(pod: Pod, { allocations, events }: PodContext): Promise<void> {
  try {
    await allocations.prepare(pod);
  } catch (error) {
    const text = `Failed to prepare dynamic resources: ${(error as Error).message}`;
    events.ofPod(pod, 'Warning', 'FailedPrepareDynamicResources', text);
    throw new Error(text, { cause: error });
  }
}

async function makeDirectories(pod: Pod, { config, events }: PodContext): Promise<void> {
  const directory = podDirectory(config.rootDirectory, pod.metadata.uid ?? '');
  try {
    for (const path of [directory, `${directory}/volumes`, `${directory}/plugins`])
      await mkdir(path, { recursive: true, mode: 0o750 });
    await mkdir(podLogDirectory(config.podLogsDirectory, pod), { recursive: true, mode: 0o755 });
  } catch (error) {
    const text = `error making pod data directories: ${(error as Error).message}`;
    events.ofPod(pod, 'Warning', 'Failed', text);
    throw new Error(text, { cause: error });
  }
}
