/** The queues in which requests wait, so that the next one is found in the logarithm of their number. */
import type { FairQueue } from './fair-queue.ts';

/** A binary heap. A queue knows its place in it, so that it can move when what decides about it changes. */
export class QueueHeap {
  readonly #queues: FairQueue[] = [];

  get size(): number {
    return this.#queues.length;
  }

  /** The queue whose oldest request ends first by virtual time; among equals, that of the oldest request. */
  get first(): FairQueue | undefined {
    return this.#queues[0];
  }

  /** The first of those that `matches` says. It looks at all of them. */
  firstWhere(matches: (queue: FairQueue) => boolean): FairQueue | undefined {
    let first: FairQueue | undefined;
    for (const queue of this.#queues)
      if (matches(queue) && (first === undefined || isBefore(queue, first))) first = queue;
    return first;
  }

  /** Puts a queue where it belongs now, in the heap or out of it. To be called after every change of the queue. */
  place(queue: FairQueue): void {
    if (queue.length === 0) return this.#remove(queue);
    if (queue.place < 0) {
      queue.place = this.#queues.length;
      this.#queues.push(queue);
    }
    this.#settle(queue);
  }

  #remove(queue: FairQueue): void {
    const { place } = queue;
    if (place < 0) return;
    queue.place = -1;
    const last = this.#queues.pop()!;
    if (last === queue) return;
    this.#put(last, place);
    this.#settle(last);
  }

  /** Moves a queue up, or else down. */
  #settle(queue: FairQueue): void {
    let { place } = queue;
    while (place > 0) {
      const parent = this.#queues[(place - 1) >> 1]!;
      if (!isBefore(queue, parent)) break;
      this.#put(parent, place);
      place = (place - 1) >> 1;
    }
    for (;;) {
      const child = this.#earlierChild(place);
      if (child === undefined || !isBefore(child, queue)) break;
      const from = child.place;
      this.#put(child, place);
      place = from;
    }
    this.#put(queue, place);
  }

  #earlierChild(place: number): FairQueue | undefined {
    const [left, right] = [this.#queues[2 * place + 1], this.#queues[2 * place + 2]];
    return right !== undefined && isBefore(right, left!) ? right : left;
  }

  #put(queue: FairQueue, place: number): void {
    this.#queues[place] = queue;
    queue.place = place;
  }
}

function isBefore(a: FairQueue, b: FairQueue): boolean {
  const difference = a.headFinish - b.headFinish;
  return difference < 0 || (difference === 0 && a.head!.number < b.head!.number);
}
