/** Cooperative scheduling: long work in steps, between which the event loop runs. */
import { setImmediate } from 'node:timers/promises';

const turnMs = 20;
/** A request that waited is read in the first; what it asked for may need another until it is answered. */
const roundsInBetween = 2;

/** For work that waits between its steps as it is, which alone lets nothing else go on. */
export class CooperativeScheduler {
  #started = performance.now();

  /** To be awaited between steps: yields to the event loop whenever a time slice is used up. */
  async next(): Promise<void> {
    if (performance.now() - this.#started < turnMs) return;
    for (let round = 0; round < roundsInBetween; round++) await setImmediate();
    this.#started = performance.now();
  }
}

/** Runs the steps, and yields to the event loop whenever a time slice is used up. */
export async function runCooperatively<T>(steps: Iterator<void, T>): Promise<T> {
  let started = performance.now();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (performance.now() - started < turnMs) continue;
    for (let round = 0; round < roundsInBetween; round++) await setImmediate();
    started = performance.now();
  }
}

/** All steps at once. */
export function runToEnd<T>(steps: Iterator<void, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
