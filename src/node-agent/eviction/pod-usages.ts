/** Measures what pods use: memory and writable layers by the runtime, logs and volumes by the files themselves. */
import { opendir, stat } from 'node:fs/promises';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { containerNameLabel, podUidLabel } from '../pods/config/labels.ts';
import { podLogDirectory } from '../pods/config/sandbox-config.ts';
import { podDirectory } from '../pods/pods-config.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import type { ContainerUsage, PodUsage } from './ranking.ts';

export interface PodUsagesOptions {
  readonly runtime: Pick<ContainerRuntime, 'listContainerStats'>;
  readonly rootDirectory: string;
  readonly podLogsDirectory: string;
  /** In the control group of the pod. */
  readonly processesOf: (pod: Pod) => Promise<number>;
}

export async function podUsages(pods: readonly Pod[], options: PodUsagesOptions): Promise<readonly PodUsage[]> {
  if (pods.length === 0) return [];
  const { stats = [] } = await options.runtime.listContainerStats({});
  const byPod = new Map<string, typeof stats>();
  for (const one of stats) {
    const uid = one.attributes?.labels?.[podUidLabel] ?? '';
    byPod.set(uid, [...(byPod.get(uid) ?? []), one]);
  }
  const usages: PodUsage[] = [];
  for (const pod of pods) {
    const containers = new Map<string, ContainerUsage>();
    for (const { attributes, memory, writableLayer } of byPod.get(pod.metadata.uid ?? '') ?? []) {
      const name = attributes?.labels?.[containerNameLabel] ?? '';
      const logs = await sizeBelow(`${podLogDirectory(options.podLogsDirectory, pod)}/${name}`);
      containers.set(name, {
        memoryBytes: Number(memory?.workingSetBytes?.value ?? 0),
        diskBytes: Number(writableLayer?.usedBytes?.value ?? 0) + logs.bytes,
        inodes: Number(writableLayer?.inodesUsed?.value ?? 0) + logs.inodes,
      });
    }
    const volumes = await volumesOf(pod, options.rootDirectory);
    usages.push({ pod, containers, volumes, processes: await options.processesOf(pod) });
  }
  return usages;
}

async function volumesOf(pod: Pod, rootDirectory: string): Promise<PodUsage['volumes']> {
  const volumes = new Map<string, { readonly bytes: number; readonly inodes: number }>();
  for (const { name = '', emptyDir } of pod.spec.volumes ?? []) {
    if (emptyDir === undefined) continue;
    const path = `${podDirectory(rootDirectory, pod.metadata.uid ?? '')}/volumes/kubernetes.io~empty-dir/${name}`;
    volumes.set(name, await sizeBelow(path));
  }
  return volumes;
}

/** What the files below take of the disk, each inode once. What goes away meanwhile does not count. */
export async function sizeBelow(path: string): Promise<{ readonly bytes: number; readonly inodes: number }> {
  let bytes = 0;
  const seen = new Set<number>();
  const open = [path];
  for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
    const entries = await opendir(directory).catch(() => undefined);
    if (entries === undefined) continue;
    for await (const entry of entries) {
      const child = `${directory}/${entry.name}`;
      if (entry.isDirectory()) open.push(child);
      else if (entry.isSymbolicLink()) continue;
      const stats = await stat(child).catch(() => undefined);
      if (stats === undefined || seen.has(stats.ino)) continue;
      seen.add(stats.ino);
      bytes += stats.blocks * 512;
    }
  }
  return { bytes, inodes: seen.size };
}
