/** Reads how much of its resources the node has left. */
import { readFile, statfs } from 'node:fs/promises';
import { amountOf } from '../config/thresholds.ts';
import type { Observation, Observations } from './thresholds.ts';

export interface ObserveOptions {
  /** Of the agent. */
  readonly rootDirectory: string;
  /** The file systems of images, as the runtime names them. */
  readonly imageDirectories: () => Promise<readonly string[]>;
}

export async function observe({ rootDirectory, imageDirectories }: ObserveOptions): Promise<Observations> {
  const [images = rootDirectory] = await imageDirectories();
  const [memory, nodeFs, imageFs, pids] = await Promise.all([
    readFile('/proc/meminfo', 'utf8').then(memoryOf),
    statfs(rootDirectory),
    statfs(images),
    readPids(),
  ]);
  const disk = (name: string, fs: typeof nodeFs): [string, Observation][] => [
    [`${name}.available`, { available: fs.bavail * fs.bsize, capacity: fs.blocks * fs.bsize }],
    ...(fs.files === 0
      ? []
      : [[`${name}.inodesFree`, { available: fs.ffree, capacity: fs.files }] as [string, Observation]]),
  ];
  return new Map([
    ['memory.available', memory],
    ...disk('nodefs', nodeFs),
    ...disk('imagefs', imageFs),
    ['pid.available', pids],
  ]);
}

/** What is free, and what the kernel gives back without a loss: files that were not read of late. */
export function memoryOf(meminfo: string): Observation {
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name.replace(/[()]/g, '\\$&')}:\\s+(\\d+) kB`, 'm').exec(meminfo)?.[1] ?? 0) * 1024;
  return { available: bytes('MemFree') + bytes('Inactive(file)'), capacity: bytes('MemTotal') };
}

export interface MemoryThresholds {
  readonly hard: Readonly<Record<string, string>>;
  readonly soft: Readonly<Record<string, string>>;
}

/** Whether less memory is left than a threshold says. @param read for tests */
export async function isMemoryShort(
  { hard, soft }: MemoryThresholds,
  read: () => Promise<string> = () => readFile('/proc/meminfo', 'utf8'),
): Promise<boolean> {
  const thresholds = [hard['memory.available'], soft['memory.available']].filter((text) => text !== undefined);
  if (thresholds.length === 0) return false;
  const { available, capacity } = memoryOf(await read());
  return thresholds.some((text) => available < amountOf(text, capacity));
}

async function readPids(): Promise<Observation> {
  const [limit, load] = await Promise.all([
    readFile('/proc/sys/kernel/pid_max', 'utf8'),
    readFile('/proc/loadavg', 'utf8'),
  ]);
  const capacity = Number(limit);
  const used = Number(/\/(\d+)/.exec(load)?.[1] ?? 0);
  return { available: capacity - used, capacity };
}
