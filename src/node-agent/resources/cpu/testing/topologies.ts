/** Machines of tests, by their counts. */
import type { Container, Pod } from '../../../../api/gen/types/core-v1.ts';
import { type Cpu, CpuTopology } from '../topology.ts';

export interface MachineShape {
  readonly sockets: number;
  readonly numaPerSocket?: number;
  readonly coresPerNuma: number;
  readonly threads?: number;
  readonly uncoresPerNuma?: number;
}

/** The second threads of all cores come after the first ones, as Linux numbers them. */
export function machineOf(shape: MachineShape): CpuTopology {
  const { sockets, numaPerSocket = 1, coresPerNuma, threads = 1, uncoresPerNuma = 1 } = shape;
  const cores = sockets * numaPerSocket * coresPerNuma;
  const cpus: Cpu[] = [];
  for (let thread = 0; thread < threads; thread++)
    for (let core = 0; core < cores; core++) {
      const numa = Math.floor(core / coresPerNuma);
      const perUncore = coresPerNuma / uncoresPerNuma;
      cpus.push({
        id: thread * cores + core,
        core,
        numa,
        socket: Math.floor(numa / numaPerSocket),
        uncore: Math.floor(core / perUncore) * perUncore,
      });
    }
  return new CpuTopology(cpus);
}

export const containerOf = (name: string, amounts: Readonly<Record<string, string>>): Container => ({
  name,
  resources: { requests: { memory: '1Gi', ...amounts }, limits: { memory: '1Gi', ...amounts } },
});

export const podWith = (uid: string, containers: readonly Container[], init: readonly Container[] = []): Pod =>
  ({ metadata: { uid, name: uid, namespace: 'default' }, spec: { containers, initContainers: init } }) as Pod;
