/** Reads the topology of CPUs from `/sys/devices/system`. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { CpuSet } from './cpu-set.ts';
import { type CpuTopology, parseTopology } from './topology.ts';

/** @param root in front of `/sys`, for tests. Rejects when the kernel does not tell its CPUs. */
export async function readTopology(root = '/'): Promise<CpuTopology> {
  const system = path.join(root, 'sys/devices/system');
  const read = (file: string): Promise<string> => readFile(path.join(system, file), 'utf8');
  const orNothing = (file: string): Promise<string> => read(file).catch(() => '');
  const nodes = (await readdir(path.join(system, 'node')).catch(() => [])).flatMap((name) => {
    const [, id] = /^node(\d+)$/.exec(name) ?? [];
    return id === undefined ? [] : [Number(id)];
  });
  const numa = await Promise.all(
    nodes.map(async (id): Promise<[number, string]> => [id, await orNothing(`node/node${id}/cpulist`)]),
  );
  const cpus = await Promise.all(
    CpuSet.parse(await read('cpu/online')).ids.map(async (id) => ({
      id,
      package: await orNothing(`cpu/cpu${id}/topology/physical_package_id`),
      siblings: await orNothing(`cpu/cpu${id}/topology/thread_siblings_list`),
      sharesCache: await orNothing(`cpu/cpu${id}/cache/index3/shared_cpu_list`),
    })),
  );
  return parseTopology(cpus, new Map(numa.sort(([a], [b]) => a - b)));
}
