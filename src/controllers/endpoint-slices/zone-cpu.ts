/** Which part of the CPU of the ready nodes each zone has, kept up to date node by node. */
import type { Node } from '../../api/gen/types/core-v1.ts';
import { parseQuantity } from '../../machinery/quantity.ts';

const zoneLabel = 'topology.kubernetes.io/zone';
/** Nodes that endpoints are not meant for. */
const excludedLabels = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

/** Parts of 1 by zone. */
export type ZoneRatios = ReadonlyMap<string, number>;

/** What a node adds; undefined for one that does not count. */
interface Share {
  readonly zone: string;
  readonly milliCpu: number;
}

export class ZoneCpu {
  readonly #shares = new Map<string, Share>();
  readonly #milliCpu = new Map<string, number>();
  /** Ready nodes that do not say their zone or CPU: with one of them nothing is known of the whole. */
  #unknown = 0;

  set(node: Node): void {
    this.delete(node.metadata.name!);
    const share = shareOf(node);
    if (share !== undefined) this.#apply(node.metadata.name!, share);
  }

  delete(name: string): void {
    const share = this.#shares.get(name);
    if (share === undefined) return;
    this.#shares.delete(name);
    if (isUnknown(share)) this.#unknown--;
    else this.#add(share.zone, -share.milliCpu);
  }

  /** Undefined where there are fewer than two zones, or where a node does not say enough. */
  ratios(): ZoneRatios | undefined {
    if (this.#unknown > 0 || this.#milliCpu.size < 2) return undefined;
    const total = [...this.#milliCpu.values()].reduce((sum, cpu) => sum + cpu, 0);
    return new Map([...this.#milliCpu].sort(([a], [b]) => (a < b ? -1 : 1)).map(([zone, cpu]) => [zone, cpu / total]));
  }

  #apply(name: string, share: Share): void {
    this.#shares.set(name, share);
    if (isUnknown(share)) this.#unknown++;
    else this.#add(share.zone, share.milliCpu);
  }

  #add(zone: string, milliCpu: number): void {
    const sum = (this.#milliCpu.get(zone) ?? 0) + milliCpu;
    if (sum === 0) this.#milliCpu.delete(zone);
    else this.#milliCpu.set(zone, sum);
  }
}

const isUnknown = ({ zone, milliCpu }: Share): boolean => zone === '' || milliCpu === 0;

function shareOf({ metadata, status }: Node): Share | undefined {
  const { labels = {} } = metadata;
  if (excludedLabels.some((label) => labels[label] !== undefined)) return undefined;
  if (status?.conditions?.find(({ type }) => type === 'Ready')?.status !== 'True') return undefined;
  const cpu = status.allocatable?.['cpu'];
  return { zone: labels[zoneLabel] ?? '', milliCpu: cpu === undefined ? 0 : milliValue(cpu) };
}

const milliValue = (text: unknown): number => Number(parseQuantity(String(text)).milliValue());
