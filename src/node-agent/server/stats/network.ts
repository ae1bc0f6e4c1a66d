/** What went over the interfaces of the node and of its pods. */
import { GroupFiles, groupsBelow, readText } from '../cadvisor/group-files.ts';
import path from 'node:path';

export interface InterfaceStats {
  readonly name: string;
  readonly rxBytes: number;
  readonly rxErrors: number;
  readonly txBytes: number;
  readonly txErrors: number;
}

export interface NetworkStats extends InterfaceStats {
  readonly time: string;
  readonly interfaces: readonly InterfaceStats[];
}

/** The interface of the default route in front. @param read a file of `/proc`, empty where it is not there */
export async function networkOf(read: (file: string) => Promise<string>, time: string): Promise<NetworkStats> {
  const [devices, routes] = await Promise.all([read('/proc/net/dev'), read('/proc/net/route')]);
  const interfaces = parseDevices(devices);
  const standard = routes
    .split('\n')
    .map((line) => line.split(/\s+/))
    .find(([, destination]) => destination === '00000000')?.[0];
  const first = interfaces.find(({ name }) => name === standard) ?? interfaces[0] ?? none;
  return { time, ...first, interfaces };
}

/**
 * Of a pod with a network of its own, as its first process sees it; undefined without one.
 * @param root in front of the paths of the kernel
 * @param group of the pod
 */
export function podNetwork(root: string, group: string, time: string): NetworkStats | undefined {
  const source = { root, isV2: readText(path.join(root, 'sys/fs/cgroup/cgroup.controllers')) !== undefined };
  for (const below of groupsBelow(source, group)) {
    const files = new GroupFiles(source, below);
    const devices = files.ofProcess('net/dev');
    if (devices === undefined) continue;
    const interfaces = parseDevices(devices);
    const [first] = interfaces;
    return first === undefined || files.isOnHostNetwork() ? undefined : { time, ...first, interfaces };
  }
  return undefined;
}

const none: InterfaceStats = { name: '', rxBytes: 0, rxErrors: 0, txBytes: 0, txErrors: 0 };

/** `/proc/net/dev`: a line per interface, without the one to itself. */
export function parseDevices(text: string): InterfaceStats[] {
  return text.split('\n').flatMap((line) => {
    const [, name = '', rest = ''] = /^\s*([^:\s]+):(.*)$/.exec(line) ?? [];
    const values = rest.trim().split(/\s+/).map(Number);
    if (name === '' || name === 'lo' || values.length < 11) return [];
    return [{ name, rxBytes: values[0]!, rxErrors: values[2]!, txBytes: values[8]!, txErrors: values[10]! }];
  });
}
