/**
 * What happened while pods were out of the queue to be scheduled: a pod that was refused may be schedulable by
 * something that came after the plugins had looked. Events are kept as long as a pod is out that was taken before them.
 */
import type { ClusterEvent } from '../framework/cluster-event.ts';

export interface InFlightEvent {
  readonly event: ClusterEvent;
  readonly before: unknown;
  readonly after: unknown;
}

export class InFlightEvents {
  /** The number of the next event when a pod was taken, by uid; the oldest pod is first. */
  readonly #pods = new Map<string, number>();
  #events: InFlightEvent[] = [];
  /** The number of the first event that is kept. */
  #first = 0;

  get podCount(): number {
    return this.#pods.size;
  }

  get eventCount(): number {
    return this.#events.length;
  }

  /** How many there are, by the label of the event. */
  countsByEvent(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { event } of this.#events) counts[event.label] = (counts[event.label] ?? 0) + 1;
    return counts;
  }

  has(uid: string): boolean {
    return this.#pods.has(uid);
  }

  begin(uid: string): void {
    this.#pods.set(uid, this.#first + this.#events.length);
  }

  record(event: InFlightEvent): void {
    if (this.#pods.size > 0) this.#events.push(event);
  }

  /** What came since the pod was taken. */
  since(uid: string): readonly InFlightEvent[] {
    const from = this.#pods.get(uid);
    return from === undefined ? [] : this.#events.slice(from - this.#first);
  }

  end(uid: string): void {
    if (!this.#pods.delete(uid)) return;
    const oldest = this.#pods.values().next();
    if (oldest.done === true) {
      this.#first += this.#events.length;
      this.#events = [];
      return;
    }
    // In larger steps, so that each event is moved few times.
    const dropped = oldest.value - this.#first;
    if (dropped < 64 || dropped * 2 < this.#events.length) return;
    this.#events = this.#events.slice(dropped);
    this.#first = oldest.value;
  }
}
