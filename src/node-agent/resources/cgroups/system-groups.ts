/**
 * Groups of processes beside pods: that of the agent, and that of the processes that are in none.
 *
 * Kernel threads stay where they are, and so does the first process of the machine.
 */
import { readlink } from 'node:fs/promises';
import type { CgroupFiles } from './cgroup-files.ts';

export interface SystemGroupsOptions {
  readonly files: Pick<CgroupFiles, 'make' | 'move' | 'processes'>;
  /** Of this process; empty: as it is. */
  readonly agent: string;
  /** Of processes at the top; empty: as they are. */
  readonly system: string;
  readonly pid: number;
  readonly isKernelThread?: (pid: number) => Promise<boolean>;
}

export async function placeProcesses(options: SystemGroupsOptions): Promise<void> {
  const { files, agent, system, pid, isKernelThread = hasNoProgram } = options;
  if (agent !== '') {
    await files.make(agent);
    await files.move(agent, pid);
  }
  if (system === '') return;
  await files.make(system);
  for (const other of await files.processes(''))
    if (other !== 1 && other !== pid && !(await isKernelThread(other))) await files.move(system, other);
}

const hasNoProgram = (pid: number): Promise<boolean> =>
  readlink(`/proc/${pid}/exe`).then(
    () => false,
    () => true,
  );
