import type { ContainerPort, PodSpec } from '../../gen/types/core-v1.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { containersWithPath } from './container-list.ts';

/** What is accepted of the ports of all containers, and is probably not meant. */
export function* portWarnings(spec: PodSpec, path: FieldPath): Generator<string> {
  const known = new Map<string, EqualPorts>();
  for (const [{ ports }, container] of containersWithPath(spec, path)) {
    if (ports === undefined) continue;
    for (const [i, port] of ports.entries()) {
      const at = container.child('ports').index(i);
      const { hostIP = '', hostPort = 0, containerPort = 0, protocol = '' } = port;
      if (hostIP !== '' && hostPort === 0) yield `${at}: hostIP set without hostPort: ${shownPort(port)}`;
      const key = `${containerPort}/${protocol}`;
      const others = known.get(key);
      if (others === undefined) {
        known.set(key, new EqualPorts(port, at));
        continue;
      }
      for (const other of others.inConflictWith(port))
        yield `${at}: ${problemOf(port, other.port)} port definition with ${other.path}`;
      others.add(port, at);
    }
  }
}

interface KnownPort {
  readonly port: ContainerPort;
  readonly path: FieldPath;
  readonly index: number;
}

const none: readonly KnownPort[] = [];

/**
 * Ports of one number and protocol, by what makes two of them a conflict: all that are looked at for a port are in
 * conflict with it.
 */
class EqualPorts {
  readonly #all: KnownPort[] = [];
  readonly #withoutHostPort: KnownPort[] = [];
  /** By port and address of the host, and by port those with an address. */
  readonly #byHost = new Map<string, KnownPort[]>();

  constructor(port: ContainerPort, path: FieldPath) {
    this.add(port, path);
  }

  add(port: ContainerPort, path: FieldPath): void {
    const { hostIP = '', hostPort = 0 } = port;
    const known = { port, path, index: this.#all.length };
    this.#all.push(known);
    if (hostPort === 0) this.#withoutHostPort.push(known);
    else {
      this.#listOf(addressKey(hostPort, hostIP)).push(known);
      if (hostIP !== '') this.#listOf(anyAddressKey(hostPort)).push(known);
    }
  }

  /** In the order in which they were added. */
  inConflictWith({ hostIP = '', hostPort = 0 }: ContainerPort): readonly KnownPort[] {
    if (hostPort === 0) return this.#all;
    const equal = this.#byHost.get(addressKey(hostPort, hostIP)) ?? none;
    const ambiguous = this.#byHost.get(hostIP === '' ? anyAddressKey(hostPort) : addressKey(hostPort, '')) ?? none;
    return [...this.#withoutHostPort, ...equal, ...ambiguous].sort((a, b) => a.index - b.index);
  }

  #listOf(key: string): KnownPort[] {
    let list = this.#byHost.get(key);
    if (list === undefined) this.#byHost.set(key, (list = []));
    return list;
  }
}

const addressKey = (hostPort: number, hostIP: string): string => `${hostPort}/${hostIP}`;
const anyAddressKey = (hostPort: number): string => `${hostPort}`;

function problemOf(
  { hostIP = '', hostPort = 0 }: ContainerPort,
  { hostIP: otherIP = '', hostPort: otherPort = 0 }: ContainerPort,
): string {
  if (hostIP === otherIP && hostPort === otherPort) return 'duplicate';
  return hostPort === 0 || otherPort === 0 ? 'overlapping' : 'dangerously ambiguous';
}

const shownPort = ({
  name = '',
  hostPort = 0,
  containerPort = 0,
  protocol = '' as never,
  hostIP = '',
}: ContainerPort): string =>
  `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol as string} HostIP:${hostIP}}`;
