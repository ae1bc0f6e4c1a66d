/** What containers have of the node for themselves, by the managers of CPUs, memory and NUMA nodes. */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { TopologyObserver } from '../metrics/topology-metrics.ts';
import { CpuSet } from './cpu/cpu-set.ts';
import type { DraManager } from './dra/dra-manager.ts';
import type { Managers } from './open-managers.ts';
import type { ContainerGrant, PodAllocations } from './pod-allocations.ts';
import { type ResourceManager, refusalOfAllocation } from './topology/hints.ts';
import { TopologyManager } from './topology/topology-manager.ts';

/** A manager with more to say to a container than where it runs. */
export interface GrantingManager extends ResourceManager {
  isAsked(pod: Pod): boolean;
  uids(): readonly string[];
  /** Rejects when what was allocated cannot be made ready. */
  grantOf(pod: Pod, container: string): Promise<Omit<ContainerGrant, 'cpusetCpus' | 'cpusetMems'>>;
}

/** One pod after the other gets what it asks for. */
export function createAllocations(
  { cpus, memory, topology }: Managers,
  granting: readonly GrantingManager[] = [],
  claims?: Pick<DraManager, 'prepare' | 'unprepare' | 'cdiDevicesOf' | 'uids'>,
  observer?: TopologyObserver,
): PodAllocations {
  const managers: readonly ResourceManager[] = [...granting, cpus, memory];
  const manager = new TopologyManager(topology, managers, observer);
  const choosesMemory = Object.keys(memory.machine).length > 0;
  let last: Promise<unknown> = Promise.resolve();
  return {
    isAsked: (pod) =>
      cpus.allocatable.size > 0 || choosesMemory || granting.some((candidate) => candidate.isAsked(pod)),
    admit(pod) {
      const admitted = last.then(async () => {
        try {
          await manager.allocate(pod);
          return undefined;
        } catch (error) {
          return refusalOfAllocation(error as Error);
        }
      });
      last = admitted;
      return admitted;
    },
    prepare: (pod) => claims?.prepare(pod) ?? Promise.resolve(),
    unprepare: (uid) => claims?.unprepare(uid) ?? Promise.resolve(),
    cpusOf: (uid, container) => cpus.cpusOf(uid, container)?.toString() ?? '',
    async grantOf(pod, container) {
      const uid = pod.metadata.uid ?? '';
      const nodes = memory.blocksOf(uid, container).flatMap(({ numaAffinity }) => numaAffinity);
      const grants = await Promise.all(granting.map((candidate) => candidate.grantOf(pod, container)));
      return {
        cpusetCpus: cpus.cpusOf(uid, container)?.toString() ?? '',
        cpusetMems: new CpuSet(nodes).toString(),
        environment: new Map(grants.flatMap(({ environment }) => [...environment])),
        mounts: grants.flatMap(({ mounts }) => mounts),
        devices: grants.flatMap(({ devices }) => devices),
        annotations: Object.assign({}, ...grants.map(({ annotations }) => annotations)) as Record<string, string>,
        cdiDevices: [
          ...new Set([
            ...grants.flatMap(({ cdiDevices }) => cdiDevices),
            ...(claims?.cdiDevicesOf(pod, container) ?? []),
          ]),
        ],
      };
    },
    release(uid) {
      for (const candidate of managers) candidate.release(uid);
    },
    uids: () => [
      ...new Set([cpus, memory, ...granting, ...(claims ? [claims] : [])].flatMap((candidate) => candidate.uids())),
    ],
  };
}
