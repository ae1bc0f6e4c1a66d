/** Sets the limits of the control group of a pod that runs. */
import { writeFile } from 'node:fs/promises';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { podCgroupLimits, podCgroupName } from '../config/pod-resources.ts';
import { cgroupPath } from '../../resources/cgroups/cgroup-path.ts';
import type { PodsConfig } from '../pods-config.ts';

/** What the kernel does not take, such as less memory than is in use, stays as it is. */
export async function writePodGroup(
  { spec, metadata }: Pod,
  { cgroups, cgroupsPerQos, resources, podPidsLimit }: PodsConfig,
  mount = '/sys/fs/cgroup',
): Promise<void> {
  if (!cgroupsPerQos) return;
  const group = cgroupPath(podCgroupName(spec, metadata.uid ?? ''), cgroups);
  const { cpuShares, cpuQuota, cpuPeriod, memoryBytes } = podCgroupLimits(spec, { ...resources, podPidsLimit });
  const files: [path: string, value: string][] = resources.isCgroupV2
    ? [
        [`${group}/cpu.weight`, String(1n + ((cpuShares - 2n) * 9999n) / 262_142n)],
        [`${group}/cpu.max`, `${cpuQuota ?? 'max'} ${cpuPeriod}`],
        [`${group}/memory.max`, String(memoryBytes ?? 'max')],
      ]
    : [
        [`/cpu${group}/cpu.shares`, String(cpuShares)],
        [`/cpu${group}/cpu.cfs_quota_us`, String(cpuQuota ?? -1n)],
        [`/memory${group}/memory.limit_in_bytes`, String(memoryBytes ?? -1n)],
      ];
  for (const [path, value] of files) await writeFile(`${mount}${path}`, value).catch(() => undefined);
}
