/** Keeps processes running: one that ends is started again, after a delay that grows while it keeps ending. */
import { type Clock, sleep } from '../../base/clock.ts';
import type { ProcessEnd, StartedProcess, StartProcess } from './start-process.ts';

export interface SupervisedProcess {
  /** As people see it: `scheduler`. */
  readonly name: string;
  readonly args: readonly string[];
  readonly logFile: string;
}

export interface SupervisorOptions {
  readonly start: StartProcess;
  /** Told of each process that ended and is started again. */
  readonly onRestart: (process: SupervisedProcess, end: ProcessEnd, delayMs: number) => void;
  readonly clock: Clock;
}

const firstDelayMs = 1000;
const maxDelayMs = 30_000;
/** A process that ran so long was in order. */
const orderlyAfterMs = 60_000;
/** A process that does not end by then is killed. */
const stopTimeoutMs = 30_000;

interface Running {
  readonly stop: () => Promise<void>;
}

export class ProcessSupervisor {
  readonly #options: SupervisorOptions;
  readonly #running: Running[] = [];

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** @returns the end of the first run, for a caller that does not want another one: see `untilEnded` */
  add(process: SupervisedProcess): { readonly ended: Promise<ProcessEnd> } {
    const abort = new AbortController();
    const first = this.#options.start(process.args, process.logFile);
    let current: StartedProcess = first;
    const keepRunning = async (): Promise<void> => {
      const { clock, start, onRestart } = this.#options;
      for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
        const begun = clock.now();
        const end = await current.exited;
        if (abort.signal.aborted) return;
        if (clock.now() - begun >= orderlyAfterMs) delayMs = firstDelayMs;
        onRestart(process, end, delayMs);
        await sleep(clock, delayMs, abort.signal);
        if (abort.signal.aborted) return;
        current = start(process.args, process.logFile);
      }
    };
    const kept = keepRunning();
    const stop = async (): Promise<void> => {
      abort.abort();
      current.kill('SIGTERM');
      const overdue = this.#options.clock.after(stopTimeoutMs, () => current.kill('SIGKILL'));
      await kept;
      overdue.cancel();
    };
    this.#running.push({ stop });
    return { ended: first.exited };
  }

  /** One after the other, the last first: those that use others end before them. */
  async stop(): Promise<void> {
    for (let running = this.#running.pop(); running !== undefined; running = this.#running.pop()) await running.stop();
  }
}
