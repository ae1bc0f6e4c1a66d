/**
 * Detects that the event loop of this thread is blocked. A timer notes in shared memory that the loop runs; another
 * thread reads that, and when the loop has not run for too long, inspects this thread (`watchdog.ts`). One such thread
 * per process is enough: it starts with the first watcher and ends with the last.
 */
import inspector from 'node:inspector';
import { isMainThread, Worker } from 'node:worker_threads';
import type { WorkDescription } from '../../base/work-description.ts';
import {
  type LastWords,
  slot,
  slots,
  type StallReport,
  type Suspension,
  type WatchdogData,
  type WatchdogMessage,
} from './messages.ts';
import { watchdog } from './watchdog.ts';

export interface Stall {
  /** How long the event loop did not turn. */
  readonly seconds: number;
  /** Undefined where nothing on the stack says so, or nothing could be seen. */
  readonly work: WorkDescription | undefined;
  /** Innermost first: `function (file:line:column)`. Empty where it could not be seen. */
  readonly stack: readonly string[];
}

export interface StallListener {
  readonly thresholdMs: number;
  /**
   * How the watching thread writes a line itself to standard error when the event loop does not come back; not at all
   * where undefined.
   */
  readonly lastWords?: LastWords | undefined;
  readonly onStall: (stall: Stall) => void;
  /** Nothing is watched any more, or not from the beginning. */
  readonly onFailure: (error: Error) => void;
}

/** A stall is noticed by beats that do not come: so many in the time that is too long. */
const beatsPerThreshold = 8;
const minBeatMs = 5;
/** What was found out about a stall is there before it ends, or soon after. */
const reportWaitMs = 1000;

const nanosPerMs = 1_000_000;

class StallDetector {
  readonly #listeners = new Set<StallListener>();
  readonly #numbers = new BigInt64Array(new SharedArrayBuffer(slots * BigInt64Array.BYTES_PER_ELEMENT));
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #last = process.hrtime.bigint();
  /** The last ones. */
  #report: StallReport | undefined;
  #suspension: Suspension | undefined;
  /** Look whether the stalls that are to be told can be. */
  readonly #awaited = new Set<() => void>();
  #isStopping = false;

  constructor(lastWords: LastWords | undefined) {
    const data: WatchdogData = {
      shared: this.#numbers.buffer as SharedArrayBuffer,
      isMain: isMainThread,
      lastWords,
      slot,
    };
    const source =
      `(${watchdog.toString()})({ threads: require('node:worker_threads'), inspector: require('node:inspector'), ` +
      `fs: require('node:fs') })`;
    this.#setThreshold(Infinity);
    this.#worker = new Worker(source, {
      eval: true,
      workerData: data,
      name: 'stall detector',
      execArgv: [],
      stdin: false,
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
    });
    this.#worker.unref();
    this.#worker.on('message', (message: WatchdogMessage) => this.#heard(message));
    this.#worker.on('error', (error: Error) => this.#failed(error));
    this.#exited = new Promise((resolve) =>
      this.#worker.once('exit', () => {
        this.#failed(new Error('the thread that watches the event loop has ended'));
        resolve();
      }),
    );
  }

  /** @returns whether the other thread has looked into the stall that begins now, at the latest */
  beginStall(): () => boolean {
    const beat = process.hrtime.bigint();
    this.#last = beat;
    Atomics.store(this.#numbers, slot.beat, beat);
    return () => Atomics.load(this.#numbers, slot.seenBeat) === beat;
  }

  get isUnused(): boolean {
    return this.#listeners.size === 0;
  }

  add(listener: StallListener): void {
    this.#listeners.add(listener);
    this.#adjust();
  }

  remove(listener: StallListener): void {
    this.#listeners.delete(listener);
    this.#adjust();
  }

  /** The worker ends itself: it must not do so while it holds this thread. */
  stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    this.#worker.postMessage('stop');
    return this.#exited;
  }

  /** The shortest threshold decides how often is looked. */
  #adjust(): void {
    const thresholdMs = Math.min(...[...this.#listeners].map((listener) => listener.thresholdMs));
    clearInterval(this.#timer);
    this.#setThreshold(thresholdMs);
    if (thresholdMs === Infinity) return;
    this.#last = process.hrtime.bigint();
    Atomics.store(this.#numbers, slot.beat, this.#last);
    // The watchdog knows the function by its name.
    const noteThatEventLoopTurns = (): void => this.#beat();
    this.#timer = setInterval(noteThatEventLoopTurns, Math.max(minBeatMs, thresholdMs / beatsPerThreshold)).unref();
  }

  #setThreshold(ms: number): void {
    Atomics.store(this.#numbers, slot.threshold, ms === Infinity ? 2n ** 62n : BigInt(Math.round(ms * nanosPerMs)));
  }

  #beat(): void {
    const before = this.#last;
    const now = process.hrtime.bigint();
    this.#last = now;
    Atomics.store(this.#numbers, slot.beat, now);
    Atomics.store(this.#numbers, slot.debugger, inspector.url() === undefined ? 0n : 1n);
    if (now - before > Atomics.load(this.#numbers, slot.threshold)) this.#stood(before, now);
  }

  /** Waits for what the other thread has to say about it. */
  #stood(beat: bigint, until: bigint): void {
    const settle = (): void => {
      clearTimeout(timer);
      this.#awaited.delete(look);
    };
    const look = (): void => {
      const [report, suspension] = [this.#report, this.#suspension];
      if (report?.beat === beat) {
        settle();
        this.#tell(beat, until, report);
      } else if (suspension !== undefined && suspension.until >= beat && suspension.from <= until) settle();
    };
    const timer = setTimeout(() => {
      settle();
      this.#tell(beat, until, undefined);
    }, reportWaitMs).unref();
    this.#awaited.add(look);
    look();
  }

  #tell(beat: bigint, until: bigint, report: StallReport | undefined): void {
    const seconds = Number(until - beat) / 1e9;
    for (const listener of this.#listeners)
      if (seconds * 1000 > listener.thresholdMs)
        listener.onStall({ seconds, work: report?.work, stack: report?.stack ?? [] });
  }

  #heard(message: WatchdogMessage): void {
    if (message.kind === 'stall') this.#report = message;
    else this.#suspension = message;
    for (const look of this.#awaited) look();
  }

  #failed(error: Error): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    clearInterval(this.#timer);
    if (detector === this) detector = undefined;
    for (const listener of this.#listeners) listener.onFailure(error);
  }
}

/** Of this thread. */
let detector: StallDetector | undefined;

/**
 * Tells of stalls of this thread's event loop until what it returns is called. That resolves when nothing is left of
 * it. Neither keeps the process alive.
 */
export function watchEventLoop(listener: StallListener): () => Promise<void> {
  let own: StallDetector;
  try {
    own = detector ??= new StallDetector(listener.lastWords);
  } catch (error) {
    // The permission model may forbid threads.
    listener.onFailure(error as Error);
    return () => Promise.resolve();
  }
  own.add(listener);
  return async () => {
    own.remove(listener);
    if (!own.isUnused || detector !== own) return;
    detector = undefined;
    await own.stop();
  };
}

/**
 * For tests: what follows is a stall of its own, also where the event loop stood before and was looked into.
 *
 * @returns whether the other thread has looked into this stall
 */
export const beginStall = (): (() => boolean) => detector!.beginStall();
