/** `/metrics/cadvisor`: what each control group of pods uses, and the machine. */
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Machine } from '../../node/machine.ts';
import { cgroupPath, type CgroupSettings } from '../../resources/cgroups/cgroup-path.ts';
import type { PodPorts } from '../served-pods.ts';
import { Exposition, type Family } from '../stats/exposition.ts';
import { knownGroups } from './container-labels.ts';
import { addFilesystems, addGroupIo, type DiskSource, parseDisks, parseMounts } from './disk-metrics.ts';
import { GroupFiles, groupsBelow, readText } from './group-files.ts';
import { addGroup } from './group-metrics.ts';
import { addMachine } from './machine-metrics.ts';
import { addNetwork } from './network-metrics.ts';

export interface CadvisorOptions extends PodPorts {
  /** Below which `kubepods` lies. */
  readonly cgroups: CgroupSettings;
  readonly readMachine: () => Promise<Machine>;
  readonly wallTime: () => number;
  /** In front of the paths of the kernel, for tests. */
  readonly root?: string;
  readonly statfs?: DiskSource['statfs'];
}

const scrapeError: Family = {
  name: 'container_scrape_error',
  help: '1 if the containers could not be read.',
  type: 'gauge',
};

export async function cadvisorMetrics(options: CadvisorOptions): Promise<string> {
  const { readMachine, root = '/' } = options;
  const out = new Exposition();
  const file = (name: string): string => readText(path.join(root, name)) ?? '';
  addMachine(out, { machine: await readMachine(), meminfo: file('proc/meminfo'), cpuinfo: file('proc/cpuinfo') });
  const disks = parseDisks(file('proc/diskstats'));
  const failed = await addGroups(out, options, { disks, mounts: parseMounts(file('proc/self/mounts')) }).then(
    () => 0,
    () => 1,
  );
  out.add(scrapeError, {}, failed);
  return out.text();
}

async function addGroups(out: Exposition, options: CadvisorOptions, source: DiskSource): Promise<void> {
  const { cgroups, wallTime, root = '/', statfs } = options;
  const isV2 = readText(path.join(root, 'sys/fs/cgroup/cgroup.controllers')) !== undefined;
  const groups = { root, isV2 };
  const known = await knownGroups(options, cgroups);
  for (const group of ['/', ...groupsBelow(groups, cgroupPath(['kubepods'], cgroups))]) {
    const files = new GroupFiles(groups, group);
    const nowMs = wallTime();
    const { labels: of, startedAt, isSandbox } = known(group);
    const { container, image, name, namespace, pod } = of;
    const shown = { labels: { container, id: group, image, name, namespace, pod }, nowMs, isV2 };
    addGroup(out, { ...shown, files, startedAt });
    if (group === '/') {
      await addFilesystems(out, statfs === undefined ? source : { ...source, statfs }, shown);
      addNetwork(out, readText(path.join(root, 'proc/net/dev')) ?? '', shown);
    } else addGroupIo(out, files, shown, source.disks);
    if (isSandbox && !files.isOnHostNetwork()) addNetwork(out, files.ofProcess('net/dev') ?? '', shown);
    // Requests are answered between two groups.
    await nextTurn();
  }
}
