/** How many processes a pod has, by its control group. */
import { readFile } from 'node:fs/promises';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { podCgroupName } from '../pods/config/pod-resources.ts';
import { cgroupPath, type CgroupSettings } from '../resources/cgroups/cgroup-path.ts';

export interface PodProcessesOptions {
  readonly cgroups: CgroupSettings;
  readonly isCgroupV2: boolean;
  /** Where control groups are mounted. */
  readonly mount?: string;
}

/** 0 where that cannot be told. */
export async function podProcesses(
  { spec, metadata }: Pod,
  { cgroups, isCgroupV2, mount = '/sys/fs/cgroup' }: PodProcessesOptions,
): Promise<number> {
  const group = cgroupPath(podCgroupName(spec, metadata.uid ?? ''), cgroups);
  const path = `${mount}${isCgroupV2 ? '' : '/pids'}${group}/pids.current`;
  const count = Number(await readFile(path, 'utf8').catch(() => '0'));
  return Number.isNaN(count) ? 0 : count;
}
