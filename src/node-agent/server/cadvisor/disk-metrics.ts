/** File systems of the machine, and what control groups read and write. */
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Exposition, Family, Labels } from '../stats/exposition.ts';
import type { GroupFiles } from './group-files.ts';

const gauge = (name: string, help: string): Family => ({ name, help, type: 'gauge' });
const counter = (name: string, help: string): Family => ({ name, help, type: 'counter' });

const space = {
  limit: gauge('container_fs_limit_bytes', 'Size of the file system.'),
  usage: gauge('container_fs_usage_bytes', 'What is used of the file system.'),
  inodes: gauge('container_fs_inodes_total', 'Inodes of the file system.'),
  inodesFree: gauge('container_fs_inodes_free', 'Inodes that are free.'),
};

const counts = {
  reads: counter('container_fs_reads_total', 'Reads.'),
  writes: counter('container_fs_writes_total', 'Writes.'),
  readBytes: counter('container_fs_reads_bytes_total', 'Bytes that were read.'),
  writtenBytes: counter('container_fs_writes_bytes_total', 'Bytes that were written.'),
};

/** Columns of `/proc/diskstats` behind the name. @see {@link https://docs.kernel.org/admin-guide/iostats.html} */
const columns: readonly (readonly [family: Family, column: number, unit: number])[] = [
  [counts.reads, 0, 1],
  [counter('container_fs_reads_merged_total', 'Reads that were joined with others.'), 1, 1],
  [counter('container_fs_sector_reads_total', 'Sectors that were read.'), 2, 1],
  [counter('container_fs_read_seconds_total', 'Time that reads took.'), 3, 1000],
  [counts.writes, 4, 1],
  [counter('container_fs_writes_merged_total', 'Writes that were joined with others.'), 5, 1],
  [counter('container_fs_sector_writes_total', 'Sectors that were written.'), 6, 1],
  [counter('container_fs_write_seconds_total', 'Time that writes took.'), 7, 1000],
  [gauge('container_fs_io_current', 'Reads and writes that are under way.'), 8, 1],
  [counter('container_fs_io_time_seconds_total', 'Time in which the device was busy.'), 9, 1000],
  [counter('container_fs_io_time_weighted_seconds_total', 'The same, times what was under way.'), 10, 1000],
];

export interface Disk {
  /** `8:1` */
  readonly number: string;
  readonly values: readonly number[];
}

/** By the name of the device, without `/dev/`. */
export function parseDisks(diskstats: string): ReadonlyMap<string, Disk> {
  const lines = diskstats.split('\n').map((line) => line.trim().split(/\s+/));
  return new Map(
    lines.flatMap(([major, minor, name, ...values]) =>
      name === undefined ? [] : [[name, { number: `${major}:${minor}`, values: values.map(Number) }] as const],
    ),
  );
}

/** Where devices are mounted first. */
export function parseMounts(mounts: string): ReadonlyMap<string, string> {
  const folders = new Map<string, string>();
  for (const line of mounts.split('\n')) {
    const [device = '', folder = ''] = line.split(' ');
    if (device.startsWith('/dev/') && !folders.has(device)) folders.set(device, unescaped(folder));
  }
  return folders;
}

const unescaped = (text: string): string =>
  text.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));

export interface DiskSource {
  readonly disks: ReadonlyMap<string, Disk>;
  readonly mounts: ReadonlyMap<string, string>;
  /** Bytes and inodes of a file system. */
  readonly statfs?: typeof statfs;
}

/** Of the whole machine. What cannot be asked is left out. */
export async function addFilesystems(
  out: Exposition,
  { disks, mounts, statfs: ask = statfs }: DiskSource,
  group: { readonly labels: Labels; readonly nowMs: number },
): Promise<void> {
  for (const [device, folder] of mounts) {
    const add = (family: Family, value: number | undefined): void =>
      out.add(family, { ...group.labels, device }, value, group.nowMs);
    const fs = await ask(folder).catch(() => undefined);
    if (fs === undefined) continue;
    add(space.limit, fs.blocks * fs.bsize);
    add(space.usage, (fs.blocks - fs.bfree) * fs.bsize);
    add(space.inodes, fs.files);
    add(space.inodesFree, fs.ffree);
    const values = disks.get(path.basename(device))?.values;
    if (values === undefined) continue;
    for (const [family, column, unit] of columns) add(family, (values[column] ?? 0) / unit);
  }
}

/** What the processes of a group read and wrote, by device. */
export function addGroupIo(
  out: Exposition,
  files: GroupFiles,
  group: { readonly isV2: boolean; readonly labels: Labels; readonly nowMs: number },
  disks: ReadonlyMap<string, Disk>,
): void {
  const names = new Map([...disks].map(([name, { number }]) => [number, `/dev/${name}`]));
  for (const [number, use] of group.isV2 ? ioOfV2(files) : ioOfV1(files)) {
    const device = names.get(number);
    if (device === undefined) continue;
    for (const [key, family] of Object.entries(counts))
      out.add(family, { ...group.labels, device }, use[key as keyof typeof counts], group.nowMs);
  }
}

type Io = Partial<Record<keyof typeof counts, number>>;

function ioOfV2(files: GroupFiles): ReadonlyMap<string, Io> {
  const lines = (files.text('io.stat') ?? '').split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [number = '', ...pairs] = line.split(' ');
      const values = Object.fromEntries(pairs.map((pair) => pair.split('='))) as Partial<Record<string, string>>;
      const of = (name: string): number => Number(values[name] ?? 0);
      return [
        number,
        { reads: of('rios'), writes: of('wios'), readBytes: of('rbytes'), writtenBytes: of('wbytes') },
      ] as const;
    }),
  );
}

const v1Files: readonly (readonly [file: string, operation: string, key: keyof Io])[] = [
  ['blkio/blkio.throttle.io_serviced', 'Read', 'reads'],
  ['blkio/blkio.throttle.io_serviced', 'Write', 'writes'],
  ['blkio/blkio.throttle.io_service_bytes', 'Read', 'readBytes'],
  ['blkio/blkio.throttle.io_service_bytes', 'Write', 'writtenBytes'],
];

function ioOfV1(files: GroupFiles): ReadonlyMap<string, Io> {
  const found = new Map<string, Io>();
  const texts = new Map<string, string>();
  for (const [file, operation, key] of v1Files) {
    let text = texts.get(file);
    if (text === undefined) texts.set(file, (text = files.text(file) ?? ''));
    for (const line of text.split('\n')) {
      const [number = '', kind, value] = line.split(' ');
      if (kind === operation) found.set(number, { ...found.get(number), [key]: Number(value) });
    }
  }
  return found;
}
