/** How many watches there are of what a write changes. */
import type { RequestInfo } from '../request/request-info.ts';

/** A watch of everything, of a namespace, or of one object. */
const keyOf = ({ group, resource }: RequestInfo, namespace: string, name: string): string =>
  [group, resource, namespace, name].join('/');

export class WatchCounts {
  readonly #counts = new Map<string, number>();

  /** Returns what ends the watch. */
  begin(info: RequestInfo): () => void {
    const key = keyOf(info, info.namespace, info.name);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = this.#counts.get(key)! - 1;
      if (left === 0) this.#counts.delete(key);
      else this.#counts.set(key, left);
    };
  }

  /** Of the watches that a change of this object or collection concerns. */
  concerned(info: RequestInfo): number {
    if (this.#counts.size === 0) return 0;
    const { namespace, name } = info;
    let sum = this.#counts.get(keyOf(info, '', '')) ?? 0;
    if (namespace !== '') sum += this.#counts.get(keyOf(info, namespace, '')) ?? 0;
    if (name !== '') {
      sum += this.#counts.get(keyOf(info, '', name)) ?? 0;
      if (namespace !== '') sum += this.#counts.get(keyOf(info, namespace, name)) ?? 0;
    }
    return sum;
  }
}
