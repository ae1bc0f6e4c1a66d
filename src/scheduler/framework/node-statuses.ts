/** Why nodes are not suitable: a status for each that was looked at, and one for all others. */
import type { NodeInfo } from '../state/node-info.ts';
import type { Code, Status } from './status.ts';

export class NodeStatuses {
  readonly #statuses = new Map<string, Status>();
  /** Of nodes that were not looked at. */
  absent: Status | undefined;

  set(nodeName: string, status: Status): void {
    this.#statuses.set(nodeName, status);
  }

  get(nodeName: string): Status | undefined {
    return this.#statuses.get(nodeName) ?? this.absent;
  }

  get size(): number {
    return this.#statuses.size;
  }

  values(): Iterable<Status> {
    return this.#statuses.values();
  }

  /** The nodes with a status of this code. */
  nodesWith(code: Code, nodes: readonly NodeInfo[]): NodeInfo[] {
    return nodes.filter(({ name }) => this.get(name)?.code === code);
  }
}
