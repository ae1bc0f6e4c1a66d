/** Ports of a node that its pods have taken. An address, protocol and port is one pod's; 0.0.0.0 is every address. */
import type { PodSpec } from '../../gen/types/core-v1.ts';

export interface HostPort {
  readonly ip: string;
  /** `TCP/8080` */
  readonly port: string;
}

const anyAddress = '0.0.0.0';
const none: readonly HostPort[] = [];

export function hostPortsOf({ containers = [], initContainers = [] }: PodSpec): readonly HostPort[] {
  let ports: HostPort[] | undefined;
  // Of init containers only sidecars keep theirs.
  const running = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  for (const container of [...containers, ...running])
    for (const { hostPort = 0, hostIP = '', protocol = '' } of container.ports ?? [])
      if (hostPort > 0)
        (ports ??= []).push({
          ip: hostIP === '' ? anyAddress : hostIP,
          port: `${protocol === '' ? 'TCP' : protocol}/${hostPort}`,
        });
  return ports ?? none;
}

export class UsedPorts {
  /** Per protocol and port, how many pods have it on which address. */
  #used: Map<string, Map<string, number>> | undefined;

  add({ ip, port }: HostPort): void {
    const used = (this.#used ??= new Map<string, Map<string, number>>());
    let addresses = used.get(port);
    if (addresses === undefined) used.set(port, (addresses = new Map()));
    addresses.set(ip, (addresses.get(ip) ?? 0) + 1);
  }

  remove({ ip, port }: HostPort): void {
    const addresses = this.#used?.get(port);
    const count = addresses?.get(ip);
    if (addresses === undefined || count === undefined) return;
    if (count > 1) addresses.set(ip, count - 1);
    else addresses.delete(ip);
    if (addresses.size === 0) this.#used!.delete(port);
  }

  conflictsWith({ ip, port }: HostPort): boolean {
    const addresses = this.#used?.get(port);
    if (addresses === undefined) return false;
    return ip === anyAddress || addresses.has(anyAddress) || addresses.has(ip);
  }
}
