/** Requests of a level, and the queues in which flows wait for their seats. */
/**
 * What a request is taken to last when it starts, in milliseconds; put right when it ends (KEP-1040, "Fair Queuing for
 * Server Requests").
 */
export const estimatedMs = 3;

/** Told of what changes for the requests of one flow schema. */
export interface FlowObserver {
  queued(requests: number, seats: number): void;
  running(requests: number, seats: number): void;
  /** @param length of the queue that a request has entered, with it */
  enqueued(length: number): void;
  /** The request is next, and its seats are not there. */
  notAccommodated(): void;
}

export interface SeatRequestOptions {
  readonly flowSchema: string;
  /** The user or the namespace that makes a flow of its own; empty where all requests of a schema are one flow. */
  readonly distinguisher: string;
  readonly seats: number;
  readonly observer: FlowObserver;
  /** For those who look at what waits. */
  readonly about: unknown;
}

export class SeatRequest {
  readonly flowSchema: string;
  readonly distinguisher: string;
  readonly seats: number;
  readonly observer: FlowObserver;
  readonly about: unknown;
  /** By the clock of the level, in milliseconds. */
  arrivedAt = 0;
  startedAt: number | undefined;
  /** Its answer is made, and goes out piece by piece. */
  isSending = false;
  /** The virtual time at which it came. */
  arrival = 0;
  /** Of the requests that came through queues of the level. */
  number = 0;
  queue: FairQueue | undefined;
  /** Its neighbours in the queue, while it waits. */
  isWaiting = false;
  before: SeatRequest | undefined;
  behind: SeatRequest | undefined;
  /** Called when a request that waited may go on. */
  onStart: () => void = () => undefined;

  constructor({ flowSchema, distinguisher, seats, observer, about }: SeatRequestOptions) {
    this.flowSchema = flowSchema;
    this.distinguisher = distinguisher;
    this.seats = seats;
    this.observer = observer;
    this.about = about;
  }
}

/** The requests of the flows that share it, in order of arrival; one that gives up can stand anywhere. */
export class FairQueue {
  readonly index: number;
  readonly running = new Set<SeatRequest>();
  #head: SeatRequest | undefined;
  #tail: SeatRequest | undefined;
  /** How many wait. */
  length = 0;
  seatsWaiting = 0;
  seatsInUse = 0;
  /** The virtual time, in seat-milliseconds, at which the next request of this queue starts. */
  nextStart = 0;
  /** In the heap of queues in which requests wait; -1 outside. */
  place = -1;

  constructor(index: number) {
    this.index = index;
  }

  get isActive(): boolean {
    return this.length > 0 || this.running.size > 0;
  }

  /** Seat-milliseconds of what waits. */
  get workWaiting(): number {
    return this.seatsWaiting * estimatedMs;
  }

  get head(): SeatRequest | undefined {
    return this.#head;
  }

  /** The virtual time at which the oldest request ends. */
  get headFinish(): number {
    return this.nextStart + workOf(this.#head!);
  }

  *waiting(): Iterable<SeatRequest> {
    for (let request = this.#head; request !== undefined; request = request.behind) yield request;
  }

  add(request: SeatRequest): void {
    request.queue = this;
    request.isWaiting = true;
    request.before = this.#tail;
    if (this.#tail === undefined) this.#head = request;
    else this.#tail.behind = request;
    this.#tail = request;
    this.length++;
    this.seatsWaiting += request.seats;
  }

  remove(request: SeatRequest): void {
    const { before, behind } = request;
    if (before === undefined) this.#head = behind;
    else before.behind = behind;
    if (behind === undefined) this.#tail = before;
    else behind.before = before;
    request.isWaiting = false;
    request.before = request.behind = undefined;
    this.length--;
    this.seatsWaiting -= request.seats;
  }

  /** Time in which nothing waited is not saved up: a request does not start before it came. */
  forgetIdleTime(): void {
    const head = this.#head;
    if (head !== undefined && this.nextStart < head.arrival) this.nextStart = head.arrival;
  }
}

/** Seat-milliseconds that a request is taken to use. */
export const workOf = ({ seats }: SeatRequest): number => seats * estimatedMs;
