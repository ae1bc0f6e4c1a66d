/** The formats of the files that tell what a machine is. */

/** Of a line of `/proc/meminfo`: `MemTotal:  8052444 kB`. */
export function bytesOf(meminfo: string, name: string): number | undefined {
  const [, kib] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(meminfo) ?? [];
  return kib === undefined ? undefined : Number(kib) * 1024;
}

/** Bytes, from the name of a folder: `hugepages-2048kB`. 0 for other folders. */
export function hugePageSizeOf(folder: string): number {
  const [, kib] = /^hugepages-(\d+)kB$/.exec(folder) ?? [];
  return Number(kib ?? 0) * 1024;
}

/** `PRETTY_NAME` of os-release. @see {@link https://www.freedesktop.org/software/systemd/man/os-release.html} */
export function osImageOf(osRelease: string): string {
  const [, value = ''] = /^PRETTY_NAME=(.*)$/m.exec(osRelease) ?? [];
  return value.trim().replace(/^(["'])(.*)\1$/, '$2') || 'Linux';
}
