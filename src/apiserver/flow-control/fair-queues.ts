/**
 * Fair queuing of one level. Queues get equal parts of the level's seats: each has a virtual clock that advances by the
 * seats and the time that its requests use, and the request that would be finished first by that clock is next.
 *
 * @see {@link
 *   https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/1040-priority-and-fairness |
 *   KEP-1040: Priority and Fairness}, "Fair Queuing for Server Requests"
 */
import { BoundedCache } from '../../base/bounded-cache.ts';
import type { Clock } from '../../base/clock.ts';
import { estimatedMs, FairQueue, type SeatRequest, workOf } from './fair-queue.ts';
import type { LevelUsage } from './level-usage.ts';
import { QueueHeap } from './queue-heap.ts';
import { SeatDemand } from './seat-demand.ts';
import { dealHand, hashOfFlow } from './shuffle-sharding.ts';

export interface Queuing {
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
}

/** How a level treats what has no seat: `exempt` needs none. */
export type QueueMode = Queuing | 'reject' | 'exempt';

export type Entry = 'running' | 'waiting' | 'refused';

/** Flows are named by clients: users, namespaces. */
const keptHands = { maxBytes: 1024 * 1024, maxKeyLength: 512, bytesOf: () => 200 };

const isNarrow = ({ head }: FairQueue): boolean => head!.seats === 1;

const dealsAlike = (a: QueueMode, b: QueueMode): boolean =>
  typeof a !== 'string' && typeof b !== 'string' && a.queues === b.queues && a.handSize === b.handSize;

export class FairQueues {
  readonly #clock: Clock;
  readonly #usage: Pick<LevelUsage, 'note'>;
  #mode: QueueMode;
  #limit: number;
  /** Those with requests, by number: a level may have millions of queues, and is not larger for it. */
  readonly #active = new Map<number, FairQueue>();
  readonly #waiting = new QueueHeap();
  #hands = new BoundedCache<readonly number[]>(keptHands);
  /** Running requests that came through no queue. */
  readonly #unqueued = new Set<SeatRequest>();
  /** Virtual time: seat-milliseconds that each active queue could have used. */
  #virtual = 0;
  #syncedAt: number;
  /** Seats in use that narrow requests may use as well. */
  #seatsLent = 0;
  /** Narrow requests that run. */
  #narrow = 0;
  /** Seats of queues: in use, and of what waits. */
  #seatsQueued = 0;
  #enqueued = 0;
  readonly demand: SeatDemand;
  /** The virtual time of the last request that went from a queue, and that by which it was due. */
  lastDispatch = 0;
  lastDue = 0;
  waiting = 0;
  running = 0;
  seatsInUse = 0;
  seatsWaiting = 0;
  dispatched = 0;
  rejected = 0;
  timedOut = 0;
  cancelled = 0;

  /** @param usage told of what is in use */
  constructor(
    clock: Clock,
    mode: QueueMode,
    limit: number,
    usage: Pick<LevelUsage, 'note'> = { note: () => undefined },
  ) {
    this.#clock = clock;
    this.#usage = usage;
    this.#syncedAt = clock.now();
    this.demand = new SeatDemand(this.#syncedAt);
    this.#mode = mode;
    this.#limit = limit;
  }

  /** How many queues flows are dealt. */
  get queueCount(): number {
    return typeof this.#mode === 'string' ? 0 : this.#mode.queues;
  }

  /** Queues with requests. While a level changes, some can have numbers that are not dealt any longer. */
  get active(): ReadonlyMap<number, FairQueue> {
    return this.#active;
  }

  get unqueued(): ReadonlySet<SeatRequest> {
    return this.#unqueued;
  }

  get limit(): number {
    return this.#limit;
  }

  get isIdle(): boolean {
    return this.waiting === 0 && this.running === 0;
  }

  get virtualTime(): number {
    return this.#virtual;
  }

  /** What waits keeps its place. */
  configure(mode: QueueMode, limit: number): void {
    this.#sync();
    if (!dealsAlike(this.#mode, mode)) this.#hands = new BoundedCache<readonly number[]>(keptHands);
    this.#mode = mode;
    this.#limit = limit;
    this.#dispatch();
  }

  /** A request that waits is told by its `onStart`. */
  enter(request: SeatRequest): Entry {
    const now = this.#sync();
    request.arrivedAt = now;
    if (typeof this.#mode === 'string') return this.#enterWithoutQueue(request, now);
    const queue = this.#queueFor(request, this.#mode);
    if (this.seatsInUse >= this.#limit && queue.length >= this.#mode.queueLengthLimit) {
      this.rejected++;
      return 'refused';
    }
    this.#enqueue(request, queue);
    this.#dispatch();
    return request.startedAt === undefined ? 'waiting' : 'running';
  }

  /** A request does not wait any longer. False when it does not wait. */
  leave(request: SeatRequest, reason: 'time-out' | 'cancelled'): boolean {
    const { queue } = request;
    if (queue === undefined || !request.isWaiting) return false;
    const now = this.#sync();
    this.#dequeue(request, queue);
    this.rejected++;
    if (reason === 'time-out') this.timedOut++;
    else this.cancelled++;
    queue.forgetIdleTime();
    this.#noteChange(queue);
    this.#noteDemand(now);
    // It may have kept smaller ones behind it from going on.
    this.#dispatch();
    return true;
  }

  /**
   * What is left of a running request is to send its answer piece by piece, in turn with other answers, for which one
   * of its seats is enough. Until it ends, narrow requests may use its other seats too: else they would wait for the
   * whole answer, seconds for a large list.
   *
   * @NOTE differs from upstream: there a request has all of its seats to its end.
   */
  send(request: SeatRequest): void {
    if (request.isSending || request.seats === 1) return;
    request.isSending = true;
    this.#seatsLent += request.seats - 1;
    this.#sync();
    this.#dispatch();
  }

  /** A running request has ended. Its seats go to those that wait. */
  finish(request: SeatRequest): void {
    const now = this.#sync();
    const { queue, seats } = request;
    if (request.isSending) this.#seatsLent -= seats - 1;
    if (seats === 1) this.#narrow--;
    this.running--;
    this.seatsInUse -= seats;
    request.observer.running(-1, -seats);
    if (queue === undefined) this.#unqueued.delete(request);
    else {
      queue.running.delete(request);
      queue.seatsInUse -= seats;
      this.#seatsQueued -= seats;
      queue.nextStart -= seats * (estimatedMs - (now - request.startedAt!));
      queue.forgetIdleTime();
      this.#noteChange(queue);
    }
    this.#noteDemand(now);
    this.#dispatch();
  }

  #enterWithoutQueue(request: SeatRequest, now: number): Entry {
    if (!this.#fits(request)) {
      this.rejected++;
      return 'refused';
    }
    this.#unqueued.add(request);
    this.#start(request, now);
    this.#noteDemand(now);
    this.#usage.note(this, now);
    return 'running';
  }

  /** The queue of the flow's hand with the least work, beginning with another one each time. */
  #queueFor(request: SeatRequest, { queues, handSize }: Queuing): FairQueue {
    const key = `${request.flowSchema}\0${request.distinguisher}`;
    let hand = this.#hands.get(key);
    if (hand === undefined) {
      hand = dealHand(hashOfFlow(request.flowSchema, request.distinguisher), queues, handSize);
      this.#hands.set(key, hand);
    }
    const offset = this.#enqueued % hand.length;
    let best = hand[offset]!;
    let least = this.#active.get(best)?.seatsWaiting ?? 0;
    for (let i = 1; i < hand.length && least > 0; i++) {
      const index = hand[(offset + i) % hand.length]!;
      const seats = this.#active.get(index)?.seatsWaiting ?? 0;
      if (seats < least) [best, least] = [index, seats];
    }
    return this.#active.get(best) ?? new FairQueue(best);
  }

  #enqueue(request: SeatRequest, queue: FairQueue): void {
    if (!queue.isActive) {
      queue.nextStart = this.#virtual;
      this.#active.set(queue.index, queue);
    }
    request.arrival = this.#virtual;
    request.number = this.#enqueued++;
    queue.add(request);
    this.#seatsQueued += request.seats;
    this.waiting++;
    this.seatsWaiting += request.seats;
    request.observer.queued(1, request.seats);
    request.observer.enqueued(queue.length);
    queue.forgetIdleTime();
    this.#waiting.place(queue);
    this.#noteDemand(this.#syncedAt);
  }

  #dequeue(request: SeatRequest, queue: FairQueue): void {
    queue.remove(request);
    this.#seatsQueued -= request.seats;
    this.waiting--;
    this.seatsWaiting -= request.seats;
    request.observer.queued(-1, -request.seats);
  }

  #dispatch(): void {
    for (let queue = this.#nextQueue(); queue !== undefined; queue = this.#nextQueue()) {
      const request = queue.head!;
      this.#dequeue(request, queue);
      queue.running.add(request);
      queue.seatsInUse += request.seats;
      this.lastDispatch = this.#virtual;
      this.lastDue = queue.nextStart;
      this.#seatsQueued += request.seats;
      queue.nextStart += workOf(request);
      queue.forgetIdleTime();
      this.#waiting.place(queue);
      this.#start(request, this.#syncedAt);
      request.onStart();
    }
    this.#usage.note(this, this.#syncedAt);
  }

  /** The queue whose oldest request goes on now. */
  #nextQueue(): FairQueue | undefined {
    const queue = this.#waiting.first;
    if (queue === undefined) return undefined;
    const request = queue.head!;
    if (this.#fits(request)) return queue;
    if (this.seatsInUse < this.#limit) request.observer.notAccommodated();
    // On a lent seat a narrow request keeps no seat from those before it.
    return this.#narrow < this.#seatsLent ? this.#waiting.firstWhere(isNarrow) : undefined;
  }

  /** A request for more seats than there are runs alone. */
  #fits({ seats }: SeatRequest): boolean {
    if (this.#mode === 'exempt') return true;
    if (seats > this.#limit) return this.running === 0;
    const isLent = seats === 1 ? this.#seatsLent : Math.min(this.#seatsLent, this.#narrow);
    return this.seatsInUse - isLent + seats <= this.#limit;
  }

  #start(request: SeatRequest, now: number): void {
    request.startedAt = now;
    this.running++;
    this.dispatched++;
    if (request.seats === 1) this.#narrow++;
    this.seatsInUse += request.seats;
    request.observer.running(1, request.seats);
  }

  #noteDemand(now: number): void {
    this.demand.set(this.seatsInUse + this.seatsWaiting, now);
  }

  #noteChange(queue: FairQueue): void {
    this.#waiting.place(queue);
    if (!queue.isActive) this.#active.delete(queue.index);
  }

  /** Advances virtual time by what each active queue could have used since. @returns the time now, in milliseconds */
  #sync(): number {
    const now = this.#clock.now();
    const { size } = this.#active;
    if (size > 0)
      this.#virtual += (Math.min(this.#seatsQueued, this.#limit) / size) * Math.max(0, now - this.#syncedAt);
    this.#syncedAt = now;
    return now;
  }
}
