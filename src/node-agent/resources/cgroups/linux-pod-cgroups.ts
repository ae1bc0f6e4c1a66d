/**
 * Control groups of pods in the file system of Linux: `kubepods`, below it one group for each class of service, below
 * that one for each pod. Containers are made below by the runtime.
 */
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import type { Logger } from '../../../base/logger.ts';
import type { EventType } from '../../../client/events/recorder.ts';
import { podCgroupLimits, podCgroupName } from '../../pods/config/pod-resources.ts';
import type { ResourceSettings } from '../../pods/config/resources.ts';
import { CgroupFiles } from './cgroup-files.ts';
import { cgroupPath, type CgroupSettings, uidOfGroup } from './cgroup-path.ts';
import { classLimits } from './class-limits.ts';
import type { NodeLimits } from './node-limits.ts';
import type { PodCgroups } from './pod-cgroups.ts';

export interface LinuxPodCgroupsOptions extends CgroupSettings {
  /** Where hierarchies are mounted: `/sys/fs/cgroup`. */
  readonly mount: string;
  readonly settings: ResourceSettings & { readonly podPidsLimit: number };
  readonly limits: NodeLimits;
  /** Those that run. */
  readonly pods: () => readonly Pod[];
  readonly log: Logger;
  /** Told of the node. */
  readonly event?: ((type: EventType, reason: string, message: string) => void) | undefined;
}

const classNames = { Burstable: ['kubepods', 'burstable'], BestEffort: ['kubepods', 'besteffort'] } as const;
const parents = [['kubepods'], classNames.Burstable, classNames.BestEffort] as const;

/** What is kept back cannot be held to its limits. */
export class EnforcementError extends Error {
  override readonly name = 'EnforcementError';
}

export function createLinuxPodCgroups(options: LinuxPodCgroupsOptions): PodCgroups {
  const { settings, driver, limits, pods, event, log } = options;
  const { isCgroupV2, memoryQos } = settings;
  const files = new CgroupFiles({ ...options, isCgroupV2 });
  const pathOf = (names: readonly string[]): string => cgroupPath(names, options);
  /** Uids of pods whose groups this process has limited. */
  const limited = new Set<string>();
  let last = '';
  const updateClasses = async (isForced = false): Promise<void> => {
    const byClass = classLimits(pods(), limits, isCgroupV2 && memoryQos !== undefined);
    const text = shown(byClass);
    if (text === last && !isForced) return;
    last = text;
    for (const name of ['Burstable', 'BestEffort'] as const) await files.limit(pathOf(classNames[name]), byClass[name]);
  };
  let arePodsLimited = false;
  /** Pods that use more already keep the kernel from taking a limit: that is tried again, and the pods run on. */
  const limitPods = async (): Promise<void> => {
    const problems = await files.limit(pathOf(['kubepods']), limits.pods);
    arePodsLimited = problems.length === 0;
    if (arePodsLimited)
      return event?.('Normal', 'NodeAllocatableEnforced', 'Updated Node Allocatable limit across pods');
    const problem = `Failed to update Node Allocatable Limits ["kubepods"]: ${problems.join(', ')}`;
    log.warn({ problems }, 'all pods together could not be limited');
    event?.('Warning', 'FailedNodeAllocatableEnforcement', problem);
  };
  return {
    async start() {
      for (const names of parents) await files.make(pathOf(names));
      await limitPods();
      await updateClasses(true);
      for (const { name, path, limits: reserved } of limits.reserved) {
        const group = pathOf(path.split('/').filter(Boolean));
        if (!(await files.exists(group)))
          throw new EnforcementError(`Failed to enforce ${name} limits: there is no control group ${group}`);
        await files.limit(group, reserved);
        const what = name.startsWith('system') ? 'system' : 'kube';
        event?.('Normal', 'NodeAllocatableEnforced', `Updated limits on ${what} reserved cgroup ${path}`);
      }
    },
    async ensure({ spec, metadata }) {
      const uid = metadata.uid ?? '';
      const path = pathOf(podCgroupName(spec, uid));
      const isNew = await files.make(path);
      // An agent that ended in between has made a group without limits.
      if (!isNew && limited.has(uid)) return;
      await files.limit(path, podCgroupLimits(spec, settings));
      limited.add(uid);
      if (isNew) await updateClasses();
    },
    async updateClasses() {
      if (!arePodsLimited) await limitPods();
      await updateClasses(true);
    },
    async remove(uid) {
      limited.delete(uid);
      for (const names of parents) await files.remove(pathOf([...names, `pod${uid}`]));
    },
    async uids() {
      const names = await Promise.all(parents.map((parent) => files.list(pathOf(parent))));
      return [...new Set(names.flat().flatMap((name) => uidOfGroup(name, driver) ?? []))];
    },
  };
}

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? String(member) : member));
