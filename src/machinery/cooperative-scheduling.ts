/** Long work in pieces, between which others have their turn. */
import { setImmediate } from 'node:timers/promises';

const turnMs = 20;
/** A request that waited is read in the first; what it asked for may need another until it is answered. */
const roundsInBetween = 2;

/** For work that waits between its steps as it is, which alone lets nothing else go on. */
export class CooperativeScheduler {
  #started = performance.now();

  /** To be waited for between steps: the event loop goes on whenever a turn is over. */
  async next(): Promise<void> {
    if (performance.now() - this.#started < turnMs) return;
    for (let round = 0; round < roundsInBetween; round++) await setImmediate();
    this.#started = performance.now();
  }
}

/** Takes the steps, and lets the event loop go on whenever a turn is over. */
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
