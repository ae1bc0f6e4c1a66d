/** The ranges of all nodes: one of each range of the cluster, in the same order. */
import type { Node } from '../../api/gen/types/core-v1.ts';
import { type Cidr, formatCidr, parseCidr } from '../../machinery/formats/addresses.ts';
import type { ControllerManagerOptions } from '../manager/options.ts';
import { CidrSet } from './cidr-set.ts';
import type { RangeMetrics } from './metrics.ts';

interface Held {
  readonly uid: string;
  readonly cidrs: readonly Cidr[];
}

const exhausted = 'CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range';

/** Not enough ranges are free. */
export class RangesExhausted extends Error {
  override readonly name: string = 'RangesExhausted';
}

export class NodeRanges {
  readonly #sets: readonly CidrSet[];
  readonly #metrics: RangeMetrics | undefined;
  readonly #held = new Map<string, Held>();

  /** Throws where the options make no sense. */
  constructor(options: ControllerManagerOptions['nodeIpam'], metrics?: RangeMetrics) {
    const { clusterCidrs, serviceCidrs, nodeMaskSizeIpv4, nodeMaskSizeIpv6 } = options;
    const clusters = clusterCidrs.map(parsed);
    if (clusters.length === 0) throw new Error('node ranges need --cluster-cidr');
    if (new Set(clusters.map(({ family }) => family)).size !== clusters.length)
      throw new Error('--cluster-cidr takes one range, or one of each family');
    this.#sets = clusters.map(
      (cluster) => new CidrSet(cluster, cluster.family === 4 ? nodeMaskSizeIpv4 : nodeMaskSizeIpv6),
    );
    this.#metrics = metrics;
    for (const set of this.#sets) metrics?.size(formatCidr(set.cluster), set.size);
    for (const service of serviceCidrs.map(parsed)) for (const set of this.#sets) this.#occupy(set, service);
  }

  /** Notes the ranges that a node has. @returns those that are not of the cluster */
  hold({ metadata: { name = '', uid = '' }, spec }: Node): string[] {
    const cidrs = spec?.podCIDRs ?? [];
    if (cidrs.length === 0) return [];
    const before = this.#held.get(name);
    const held = cidrs.map((text) => parseCidr(text));
    const isSame = before !== undefined && before.cidrs.map(formatCidr).join() === cidrs.join();
    if (before !== undefined && !isSame) this.release(name);
    const strange = cidrs.filter((_, i) => {
      const [set, cidr] = [this.#sets[i], held[i]];
      return set === undefined || cidr === undefined || this.#occupy(set, cidr) === undefined;
    });
    this.#held.set(name, { uid, cidrs: held.filter((cidr) => cidr !== undefined) });
    return strange;
  }

  /** Ranges for a node: the same ones until it has them or is gone. Throws `RangesExhausted`. */
  reserve({ metadata: { name = '', uid = '' } }: Node): string[] {
    const before = this.#held.get(name);
    if (before?.uid === uid) return before.cidrs.map(formatCidr);
    this.release(name);
    const cidrs: Cidr[] = [];
    for (const [index, set] of this.#sets.entries()) {
      const found = set.allocate();
      if (found === undefined) {
        cidrs.forEach((cidr, i) => this.#release(this.#sets[i]!, cidr));
        throw new RangesExhausted(`failed to allocate cidr from cluster cidr at idx:${index}: ${exhausted}`);
      }
      this.#metrics?.allocated(formatCidr(set.cluster), found.tries);
      this.#metrics?.used(formatCidr(set.cluster), 1 / set.size);
      cidrs.push(found.cidr);
    }
    this.#held.set(name, { uid, cidrs });
    return cidrs.map(formatCidr);
  }

  release(name: string): void {
    const held = this.#held.get(name);
    if (held === undefined) return;
    this.#held.delete(name);
    held.cidrs.forEach((cidr, i) => {
      const set = this.#sets[i];
      if (set !== undefined) this.#release(set, cidr);
    });
  }

  #occupy(set: CidrSet, cidr: Cidr): number | undefined {
    const changed = set.occupy(cidr);
    if (changed !== undefined) this.#metrics?.used(formatCidr(set.cluster), changed / set.size);
    return changed;
  }

  #release(set: CidrSet, cidr: Cidr): void {
    const changed = set.release(cidr);
    if (changed === undefined) return;
    this.#metrics?.used(formatCidr(set.cluster), -changed / set.size);
    this.#metrics?.released(formatCidr(set.cluster));
  }
}

function parsed(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new Error(`"${text}" is no range of addresses`);
  return cidr;
}
