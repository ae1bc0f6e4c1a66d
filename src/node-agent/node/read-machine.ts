/** Reads what is known of the machine, from files of the kernel and of the system. */
import { readdir, readFile, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Filesystem, Machine } from './machine.ts';
import { bytesOf, hugePageSizeOf, osImageOf } from './machine-files.ts';

export interface MachineSource {
  /** Folder of pods, whose file system is that of the node. */
  readonly rootDir: string;
  /** In front of the paths below, for tests. */
  readonly root?: string;
}

const hugePagesFolder = '/sys/kernel/mm/hugepages';

export async function readMachine({ rootDir, root = '/' }: MachineSource): Promise<Machine> {
  const read = (file: string): Promise<string> => readFile(path.join(root, file), 'utf8');
  const first = async (...files: readonly string[]): Promise<string> => {
    for (const file of files) {
      const text = (await read(file).catch(() => '')).trim();
      if (text !== '') return text;
    }
    return '';
  };
  const machineId = await first('/etc/machine-id', '/var/lib/dbus/machine-id');
  return {
    cpus: os.availableParallelism(),
    memoryBytes: bytesOf(await read('/proc/meminfo'), 'MemTotal') ?? os.totalmem(),
    hugePages: await hugePagesOf(path.join(root, hugePagesFolder)),
    nodeFs: await filesystemOf(rootDir),
    machineId,
    systemUuid: (await first('/sys/class/dmi/id/product_uuid')) || machineId,
    bootId: await first('/proc/sys/kernel/random/boot_id'),
    kernelVersion: os.release(),
    osImage: osImageOf(await first('/etc/os-release', '/usr/lib/os-release')),
    architecture: { x64: 'amd64', ia32: '386' }[process.arch as string] ?? process.arch,
  };
}

export async function filesystemOf(folder: string): Promise<Filesystem> {
  const { bsize, blocks, bavail, files, ffree } = await statfs(folder);
  return { capacityBytes: blocks * bsize, availableBytes: bavail * bsize, inodes: files, inodesFree: ffree };
}

async function hugePagesOf(folder: string): Promise<Machine['hugePages']> {
  const names = await readdir(folder).catch(() => []);
  const pages = names.map(async (name) => ({
    sizeBytes: hugePageSizeOf(name),
    count: Number(await readFile(path.join(folder, name, 'nr_hugepages'), 'utf8')),
  }));
  return (await Promise.all(pages)).filter(({ sizeBytes }) => sizeBytes > 0);
}

/** What the machine swaps to: a line per file or partition. */
export async function readSwaps(root = '/'): Promise<string[]> {
  const text = await readFile(path.join(root, '/proc/swaps'), 'utf8').catch(() => '');
  return text.split('\n').filter((line, index) => index > 0 && line.trim() !== '');
}
