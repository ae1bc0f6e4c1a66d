/** CPUs that are kept back by name take the place of the amounts that are reserved. */
import { CpuListError, CpuSet } from '../resources/cpu/cpu-set.ts';
import type { NodeAgentConfig } from './config.ts';

/** Undefined for a list of CPUs. */
export function cpuListProblem(text: string): string | undefined {
  try {
    CpuSet.parse(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof CpuListError)) throw error;
    return `unable to parse reservedSystemCPUs (--reserved-cpus) ${text}, error: ${error.message}`;
  }
}

export function withReservedCpus(config: NodeAgentConfig): NodeAgentConfig {
  if (config.reservedSystemCPUs === '') return config;
  const { cpu: _, ...kubeReserved } = config.kubeReserved;
  const cpu = String(CpuSet.parse(config.reservedSystemCPUs).size);
  return { ...config, kubeReserved, systemReserved: { ...config.systemReserved, cpu } };
}
