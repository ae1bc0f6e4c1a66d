/** Numbers by topology: for a label of nodes, one number for each of its values. */
import type { Node } from '../../api/gen/types/core-v1.ts';

export class TopologyCounts {
  /** Made when it is needed: most pods count nothing. */
  #counts: Map<string, Map<string, number>> | undefined;

  constructor(counts?: Map<string, Map<string, number>>) {
    this.#counts = counts;
  }

  get isEmpty(): boolean {
    return this.#counts === undefined || this.#counts.size === 0;
  }

  /** The topology of a node without the label is none, and nothing is added. */
  add(node: Node, topologyKey: string, change: number): void {
    const value = node.metadata.labels?.[topologyKey];
    if (typeof value !== 'string') return;
    this.#counts ??= new Map();
    let values = this.#counts.get(topologyKey);
    if (values === undefined) this.#counts.set(topologyKey, (values = new Map()));
    const count = (values.get(value) ?? 0) + change;
    if (count === 0) values.delete(value);
    else values.set(value, count);
    if (values.size === 0) this.#counts.delete(topologyKey);
  }

  /** 0 for a node without the label. */
  on(node: Node, topologyKey: string): number {
    const value = node.metadata.labels?.[topologyKey];
    return typeof value === 'string' ? (this.#counts?.get(topologyKey)?.get(value) ?? 0) : 0;
  }

  /** Of all labels together. */
  sumOn(node: Node): number {
    let sum = 0;
    for (const topologyKey of this.#counts?.keys() ?? []) sum += this.on(node, topologyKey);
    return sum;
  }

  clone(): TopologyCounts {
    return new TopologyCounts(
      this.#counts && new Map([...this.#counts].map(([key, values]) => [key, new Map(values)])),
    );
  }
}
