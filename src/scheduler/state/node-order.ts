/**
 * The order in which nodes are looked at: one of each zone after the other, so that a search that ends early has seen
 * all zones alike.
 */
import type { Node } from '../../api/gen/types/core-v1.ts';
import type { NodeInfo } from './node-info.ts';

const zoneLabels = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'];
const regionLabels = ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'];

const labelOf = ({ metadata }: Node, names: readonly string[]): string =>
  names.map((name) => metadata.labels?.[name]).find((value) => value !== undefined) ?? '';

/** Region and zone as one text; empty for a node without either. */
export function zoneOf(node: Node): string {
  const region = labelOf(node, regionLabels);
  const zone = labelOf(node, zoneLabels);
  return region === '' && zone === '' ? '' : `${region}:\0:${zone}`;
}

export class NodeOrder {
  /** Zones in the order in which they were first seen. */
  readonly #zones = new Map<string, Set<NodeInfo>>();
  readonly #zoneOf = new Map<NodeInfo, string>();
  #list: readonly NodeInfo[] | undefined;

  /** Also for a node whose labels have changed. */
  put(info: NodeInfo, node: Node): void {
    const zone = zoneOf(node);
    const before = this.#zoneOf.get(info);
    if (before === zone) return;
    if (before !== undefined) this.remove(info);
    let nodes = this.#zones.get(zone);
    if (nodes === undefined) this.#zones.set(zone, (nodes = new Set()));
    nodes.add(info);
    this.#zoneOf.set(info, zone);
    this.#list = undefined;
  }

  remove(info: NodeInfo): void {
    const zone = this.#zoneOf.get(info);
    if (zone === undefined) return;
    this.#zoneOf.delete(info);
    const nodes = this.#zones.get(zone)!;
    nodes.delete(info);
    if (nodes.size === 0) this.#zones.delete(zone);
    this.#list = undefined;
  }

  /** Made again only after nodes came or went. */
  get list(): readonly NodeInfo[] {
    return (this.#list ??= interleaved([...this.#zones.values()]));
  }
}

function interleaved(zones: readonly Set<NodeInfo>[]): NodeInfo[] {
  const list: NodeInfo[] = [];
  let iterators = zones.map((zone) => zone.values());
  while (iterators.length > 0)
    iterators = iterators.filter((iterator) => {
      const { done, value } = iterator.next();
      if (done !== true) list.push(value);
      return done !== true;
    });
  return list;
}
