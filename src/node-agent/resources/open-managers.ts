/** The managers of CPUs, memory and NUMA nodes, as the configuration says, with their states of before. */
import type { GateSettings } from '../../api/feature-gates.ts';
import type { Logger } from '../../base/logger.ts';
import { parseQuantity } from '../../machinery/quantity.ts';
import type { NodeAgentConfig } from '../config/config.ts';
import { amountOf } from '../config/thresholds.ts';
import type { CpuObserver } from '../metrics/cpu-metrics.ts';
import type { PinningObserver } from '../metrics/pinning.ts';
import { type CpuManager, openCpuManager } from './cpu/cpu-manager.ts';
import { noCpuOptions, parseCpuOptions } from './cpu/cpu-options.ts';
import { CpuSet } from './cpu/cpu-set.ts';
import type { CpuTopology } from './cpu/topology.ts';
import { type MemoryManager, openMemoryManager } from './memory/memory-manager.ts';
import { machineMemory } from './memory/reserved-memory.ts';
import type { NumaNode } from './numa-nodes.ts';
import { OptionError } from './policy-options.ts';
import type { TopologyPolicy } from './topology/merge-hints.ts';
import type { TopologySettings } from './topology/topology-manager.ts';
import { checkNumaNodes, parseTopologyOptions } from './topology/topology-options.ts';

export interface ManagedMachine {
  readonly topology: CpuTopology;
  readonly numaNodes: readonly NumaNode[];
  readonly memoryBytes: number;
}

type ManagersConfig = Pick<
  NodeAgentConfig,
  | 'cpuManagerPolicy'
  | 'cpuManagerPolicyOptions'
  | 'memoryManagerPolicy'
  | 'reservedMemory'
  | 'reservedSystemCPUs'
  | 'systemReserved'
  | 'kubeReserved'
  | 'evictionHard'
  | 'topologyManagerPolicy'
  | 'topologyManagerPolicyOptions'
  | 'topologyManagerScope'
>;

export interface ManagerObservers {
  readonly cpus?: CpuObserver;
  readonly memory?: PinningObserver;
}

export interface ManagersOptions {
  readonly config: ManagersConfig;
  readonly gates: GateSettings;
  /** Where the states are kept. */
  readonly rootDir: string;
  readonly machine: ManagedMachine;
  readonly observers?: ManagerObservers | undefined;
  readonly log: Logger;
}

export interface Managers {
  readonly cpus: CpuManager;
  readonly memory: MemoryManager;
  readonly topology: TopologySettings;
}

/** Rejects with an `OptionError`, or with a `CheckpointError` for a state that cannot be taken over. */
export async function openManagers(options: ManagersOptions): Promise<Managers> {
  const topology = topologySettings(options);
  const cpus = await openCpus(options);
  return { topology, cpus, memory: await openMemory(options) };
}

function topologySettings({ config, gates, machine }: ManagersOptions): TopologySettings {
  const parsed = parseTopologyOptions(config.topologyManagerPolicyOptions, gates);
  const { numaNodes } = machine;
  if (config.topologyManagerPolicy !== 'none') checkNumaNodes(numaNodes.length, parsed);
  return {
    policy: config.topologyManagerPolicy as TopologyPolicy,
    scope: config.topologyManagerScope === 'pod' ? 'pod' : 'container',
    prefersClosest: parsed.prefersClosest,
    numa: {
      nodes: numaNodes.map(({ id }) => id),
      distances: new Map(numaNodes.map(({ id, distances }) => [id, distances])),
    },
  };
}

function openCpus({ config, gates, rootDir, machine, observers, log }: ManagersOptions): Promise<CpuManager> {
  const isStatic = config.cpuManagerPolicy === 'static';
  const options = isStatic ? parseCpuOptions(config.cpuManagerPolicyOptions, gates) : noCpuOptions;
  const given = Object.entries(config.cpuManagerPolicyOptions).map((pair) => pair.join(':'));
  if (!isStatic && given.length > 0)
    throw new OptionError(`None policy: received unsupported options=map[${given.join(' ')}]`);
  if (options.alignsBySocket && config.topologyManagerPolicy === 'single-numa-node')
    throw new OptionError(
      'Topology manager Single numa policy is incompatible with CPUManager Align by socket policy option',
    );
  if (options.alignsBySocket && machine.topology.sockets > machine.topology.numaNodes)
    throw new OptionError(
      'Align by socket is not compatible with hardware where number of sockets are more than number of NUMA',
    );
  const { topology } = machine;
  const path = `${rootDir}/cpu_manager_state`;
  const reserved = reservedCpus(config, topology);
  return openCpuManager({
    path,
    policy: isStatic ? 'static' : 'none',
    options,
    topology,
    reserved,
    observer: observers?.cpus,
    log,
  });
}

/** CPUs that are kept back: by name, or how many. Throws an `OptionError`. */
export function reservedCpus(
  { reservedSystemCPUs, systemReserved, kubeReserved }: ManagersConfig,
  topology: CpuTopology,
): CpuSet | number {
  if (reservedSystemCPUs === '') {
    const milli = [systemReserved['cpu'], kubeReserved['cpu']].map((text) =>
      text === undefined ? 0n : parseQuantity(text).scaledValue(-3),
    );
    return Math.ceil(Number(milli[0]! + milli[1]!) / 1000);
  }
  const named = CpuSet.parse(reservedSystemCPUs);
  const missing = named.minus(topology.all);
  if (missing.size > 0)
    throw new OptionError(`reservedSystemCPUs (--reserved-cpus) names CPUs that are not online: ${missing.toString()}`);
  return named;
}

function openMemory({ config, rootDir, machine, observers, log }: ManagersOptions): Promise<MemoryManager> {
  const { systemReserved, kubeReserved, evictionHard, reservedMemory } = config;
  const bytesOf = (text: string | undefined): number => (text === undefined ? 0 : parseQuantity(text).toNumber());
  const threshold = evictionHard['memory.available'];
  const nodeReserved =
    bytesOf(systemReserved['memory']) +
    bytesOf(kubeReserved['memory']) +
    (threshold === undefined ? 0 : Number(amountOf(threshold, machine.memoryBytes)));
  return openMemoryManager({
    path: `${rootDir}/memory_manager_state`,
    machine:
      config.memoryManagerPolicy === 'Static'
        ? machineMemory(machine.numaNodes, reservedMemory, nodeReserved)
        : undefined,
    observer: observers?.memory,
    log,
  });
}
