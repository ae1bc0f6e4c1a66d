/** What all pods may use together, and what is kept back for the system and for the agent. Pure. */
import { parseQuantity } from '../../../machinery/quantity.ts';
import type { CgroupLimits } from './cgroup-files.ts';

export interface NodeLimitsConfig {
  readonly enforceNodeAllocatable: readonly string[];
  readonly systemReserved: Readonly<Record<string, string>>;
  readonly kubeReserved: Readonly<Record<string, string>>;
  readonly systemReservedCgroup: string;
  readonly kubeReservedCgroup: string;
  /** Share of requests that is kept back for the pods that made them: `memory: 50%`. */
  readonly qosReserved: Readonly<Record<string, string>>;
}

export interface MachineLimits {
  readonly cpus: number;
  readonly memoryBytes: number;
  /** Processes and threads at a time. */
  readonly pids: number;
  /** Bytes by size, `2MB`. */
  readonly hugePages: ReadonlyMap<string, bigint>;
}

export interface ReservedGroup {
  /** `system-reserved` */
  readonly name: string;
  readonly path: string;
  readonly limits: CgroupLimits;
}

export interface NodeLimits {
  readonly pods: CgroupLimits;
  readonly reserved: readonly ReservedGroup[];
  /** 0 to 100; undefined: not at all. */
  readonly memoryReservedPercent: number | undefined;
}

export function nodeLimits(config: NodeLimitsConfig, machine: MachineLimits): NodeLimits {
  const { enforceNodeAllocatable: enforced, systemReserved, kubeReserved } = config;
  const keptBack = (name: string, scale = 0): bigint =>
    enforced.includes('pods') ? amountOf(systemReserved[name], scale) + amountOf(kubeReserved[name], scale) : 0n;
  const left = (all: number, kept: bigint): bigint => (BigInt(all) > kept ? BigInt(all) - kept : 0n);
  const group = (name: string, path: string, amounts: Readonly<Record<string, string>>): ReservedGroup[] => {
    if (enforced.includes(name)) return [{ name, path, limits: reservedLimits(amounts) }];
    if (!enforced.includes(`${name}-compressible`)) return [];
    const { cpuShares } = reservedLimits(amounts);
    return [{ name: `${name}-compressible`, path, limits: { cpuShares } }];
  };
  return {
    pods: {
      cpuShares: sharesOf(left(machine.cpus * 1000, keptBack('cpu', -3))),
      memoryBytes: left(machine.memoryBytes, keptBack('memory')),
      pids: Number(left(machine.pids, keptBack('pid'))),
      hugePages: machine.hugePages,
    },
    reserved: [
      ...group('system-reserved', config.systemReservedCgroup, systemReserved),
      ...group('kube-reserved', config.kubeReservedCgroup, kubeReserved),
    ],
    memoryReservedPercent: percentOf(config.qosReserved['memory']),
  };
}

const amountOf = (text: string | undefined, scale: number): bigint =>
  text === undefined ? 0n : parseQuantity(text).scaledValue(scale);

function reservedLimits(amounts: Readonly<Record<string, string>>): CgroupLimits {
  const { cpu, memory, pid } = amounts;
  return {
    ...(cpu === undefined ? {} : { cpuShares: sharesOf(amountOf(cpu, -3)) }),
    ...(memory === undefined ? {} : { memoryBytes: amountOf(memory, 0) }),
    ...(pid === undefined ? {} : { pids: Number(amountOf(pid, 0)) }),
  };
}

const minShares = 2n;
const maxShares = 262_144n;

/** Of thousandths of a CPU. */
export function sharesOf(milliCpu: bigint): bigint {
  const shares = (milliCpu * 1024n) / 1000n;
  return shares < minShares ? minShares : shares > maxShares ? maxShares : shares;
}

function percentOf(text: string | undefined): number | undefined {
  const [, percent] = /^(\d+)%$/.exec(text ?? '') ?? [];
  return percent === undefined ? undefined : Number(percent);
}
