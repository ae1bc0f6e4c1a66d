/** Long work in pieces, between which others have their turn. */
import { setImmediate } from 'node:timers/promises';

const turnMs = 20;

/** Takes the steps, and lets the event loop go on whenever a turn is over. */
export async function inTurns<T>(steps: Iterator<void, T>): Promise<T> {
  let started = performance.now();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (performance.now() - started < turnMs) continue;
    await setImmediate();
    started = performance.now();
  }
}

/** All steps at once. */
export function atOnce<T>(steps: Iterator<void, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
