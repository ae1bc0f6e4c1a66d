/** Ranges of user and group ids of the node, one for each pod with a user namespace of its own. Pure. */

/** How many ids a pod has. */
export const rangeLength = 65_536;

export interface IdRange {
  readonly firstId: number;
  readonly count: number;
}

/** Ids of pods come after those of the node. */
export const usualRange = (maxPods: number): IdRange => ({ firstId: rangeLength, count: rangeLength * maxPods });

/**
 * What `getsubids` says of the user `kubelet`: `0: kubelet 65536 7208960`.
 *
 * Throws for ranges that pods cannot have.
 */
export function parseSubordinateIds(text: string, maxPods: number): IdRange {
  const lines = text.trim().split('\n').filter(Boolean);
  const match = /^0: \S+ (\d+) (\d+)$/.exec(lines[0] ?? '');
  if (lines.length !== 1 || match === null) throw new Error(`getsubids says ${JSON.stringify(text.slice(0, 200))}`);
  const [firstId, count] = [Number(match[1]), Number(match[2])];
  if (firstId < rangeLength || firstId % rangeLength !== 0 || count % rangeLength !== 0)
    throw new Error(`the ids of pods begin at ${firstId} and are ${count}: both must be multiples of ${rangeLength}`);
  if (count < rangeLength * maxPods)
    throw new Error(`there are ${count} ids for pods, and ${rangeLength * maxPods} are needed for ${maxPods} pods`);
  return { firstId, count };
}

export class IdRanges {
  readonly #range: IdRange;
  /** Index of the range, by uid of the pod. */
  readonly #taken = new Map<string, number>();
  readonly #used = new Set<number>();

  constructor(range: IdRange) {
    this.#range = range;
  }

  /** Throws when all are taken. @returns the first id */
  take(uid: string): number {
    let index = this.#taken.get(uid);
    if (index === undefined) {
      index = this.#free();
      this.#set(uid, index);
    }
    return this.#range.firstId + index * rangeLength;
  }

  /** A pod has it from before. Throws when it is another pod's, or none of the node's. */
  keep(uid: string, firstId: number): void {
    const index = (firstId - this.#range.firstId) / rangeLength;
    if (!Number.isInteger(index) || index < 0 || index >= this.#range.count / rangeLength)
      throw new Error(`the ids from ${firstId} are not among those of pods`);
    if (this.#used.has(index) && this.#taken.get(uid) !== index)
      throw new Error(`the ids from ${firstId} are those of another pod`);
    this.#set(uid, index);
  }

  release(uid: string): void {
    const index = this.#taken.get(uid);
    if (index === undefined) return;
    this.#taken.delete(uid);
    this.#used.delete(index);
  }

  #set(uid: string, index: number): void {
    this.#taken.set(uid, index);
    this.#used.add(index);
  }

  #free(): number {
    const last = this.#range.count / rangeLength;
    for (let index = 0; index < last; index++) if (!this.#used.has(index)) return index;
    throw new Error(`could not find an empty slot to allocate a user namespace`);
  }
}
