/** What the machine is, at `/metrics/cadvisor`. */
import type { Machine } from '../../node/machine.ts';
import { bytesOf } from '../../node/machine-files.ts';
import type { Exposition, Family } from '../stats/exposition.ts';

const gauge = (name: string, help: string): Family => ({ name, help, type: 'gauge' });

const families = {
  version: gauge('cadvisor_version_info', 'Kernel and operating system.'),
  cores: gauge('machine_cpu_cores', 'Logical CPUs.'),
  physicalCores: gauge('machine_cpu_physical_cores', 'Cores.'),
  sockets: gauge('machine_cpu_sockets', 'Sockets.'),
  memory: gauge('machine_memory_bytes', 'Memory.'),
  swap: gauge('machine_swap_bytes', 'Swap.'),
  nvm: gauge('machine_nvm_capacity', 'Memory that keeps its content: not looked for.'),
  nvmPower: gauge('machine_nvm_avg_power_budget_watts', 'What that memory may take: not looked for.'),
  scrapeError: gauge('machine_scrape_error', '1 if the machine could not be read.'),
};

const nvmModes = ['app_direct_mode', 'memory_mode', 'unknown'];

export interface MachineSource {
  readonly machine: Machine;
  readonly meminfo: string;
  readonly cpuinfo: string;
}

export function addMachine(out: Exposition, { machine, meminfo, cpuinfo }: MachineSource): void {
  const { bootId, machineId, systemUuid, kernelVersion, osImage } = machine;
  const labels = { boot_id: bootId, machine_id: machineId, system_uuid: systemUuid };
  const { cores, sockets } = coresOf(cpuinfo);
  out.add(
    families.version,
    { cadvisorRevision: '', cadvisorVersion: '', dockerVersion: '', kernelVersion, osVersion: osImage },
    1,
  );
  out.add(families.cores, labels, machine.cpus);
  out.add(families.physicalCores, labels, cores || machine.cpus);
  out.add(families.sockets, labels, sockets || 1);
  out.add(families.memory, labels, machine.memoryBytes);
  out.add(families.swap, labels, bytesOf(meminfo, 'SwapTotal') ?? 0);
  for (const mode of nvmModes)
    out.add(families.nvm, { boot_id: bootId, machine_id: machineId, mode, system_uuid: systemUuid }, 0);
  out.add(families.nvmPower, labels, 0);
  out.add(families.scrapeError, {}, 0);
}

/** Told apart by the ids in `/proc/cpuinfo`. */
function coresOf(cpuinfo: string): { readonly cores: number; readonly sockets: number } {
  const [cores, sockets] = [new Set<string>(), new Set<string>()];
  for (const cpu of cpuinfo.split('\n\n')) {
    const socket = /^physical id\s*:\s*(\d+)$/m.exec(cpu)?.[1];
    const core = /^core id\s*:\s*(\d+)$/m.exec(cpu)?.[1];
    if (socket === undefined || core === undefined) continue;
    sockets.add(socket);
    cores.add(`${socket} ${core}`);
  }
  return { cores: cores.size, sockets: sockets.size };
}
