/** What is measured of the writes of custom objects. All are seconds of work, without waiting in between. */
export interface CustomObserver {
  /** The rules in CEL of one node of a schema, before their first use. */
  rulesCompiled(seconds: number): void;
  /** All rules in CEL about one object. */
  rulesEvaluated(seconds: number): void;
  /** Comparing an object with the one before it, for an update that may leave alone what was invalid before. */
  compared(seconds: number): void;
}

export const noCustomObserver: CustomObserver = {
  rulesCompiled: () => undefined,
  rulesEvaluated: () => undefined,
  compared: () => undefined,
};

/** The same work in the same steps; `done` is told how long they took together. */
export function* timed<T>(work: Generator<void, T>, done: (milliseconds: number) => void): Generator<void, T> {
  let milliseconds = 0;
  for (;;) {
    const start = performance.now();
    const step = work.next();
    milliseconds += performance.now() - start;
    if (step.done === true) {
      done(milliseconds);
      return step.value;
    }
    yield;
  }
}
