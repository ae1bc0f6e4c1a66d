/** Whether the container runtime can run pods, from the answers to its status calls. */
import type { Clock } from '../../base/clock.ts';
import type { RuntimeCondition, RuntimeStatusReport } from './node-runtime.ts';

/** A runtime that has not been ready for longer is down. */
const staleAfterMs = 30_000;

export class RuntimeHealth {
  readonly #clock: Pick<Clock, 'now'>;
  #readyAt: number | undefined;
  #runtimeProblem: string | undefined;
  #networkProblem: string | undefined = 'network state unknown';

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** An answer of the runtime. A call that failed is none: after a time the runtime is down. */
  heard({ conditions }: RuntimeStatusReport): void {
    this.#networkProblem = problemOf('container runtime network not ready', 'NetworkReady', conditions);
    this.#runtimeProblem = problemOf('container runtime not ready', 'RuntimeReady', conditions);
    if (this.#runtimeProblem === undefined) this.#readyAt = this.#clock.now();
  }

  /** Why pods cannot run, in the words of the condition `Ready`. */
  get problems(): readonly string[] {
    return [this.#baseProblem, this.#runtimeProblem, this.#networkProblem].filter((problem) => problem !== undefined);
  }

  /** Why pods cannot have addresses. */
  get networkProblem(): string | undefined {
    return this.#networkProblem;
  }

  get #baseProblem(): string | undefined {
    if (this.#readyAt === undefined) return 'container runtime status check may not have completed yet';
    return this.#clock.now() - this.#readyAt > staleAfterMs ? 'container runtime is down' : undefined;
  }
}

function problemOf(title: string, type: string, conditions: readonly RuntimeCondition[]): string | undefined {
  const condition = conditions.find((other) => other.type === type);
  if (condition?.status === true) return undefined;
  const { reason = '', message = '' } = condition ?? {};
  return condition === undefined
    ? `${title}: condition ${type} is not set`
    : `${title}: ${type}=false reason:${reason} message:${message}`;
}
