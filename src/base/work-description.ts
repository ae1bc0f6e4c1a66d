/**
 * Describes what a thread is working on, for an observer outside it while the thread is busy. The stall detector finds
 * objects of this type among the variables of the functions that are running (`server/stall-detector/`); it costs
 * nothing while nothing stalls.
 */
export const describeWork: unique symbol = Symbol.for('orch.work') as never;

/** Words for the log: `verb`, `resource`, `user`, … Empty ones are left out. */
export type WorkDescription = Readonly<Record<string, string>>;

export interface Work {
  /** Called in the middle of other code: it only reads, waits for nothing and does not throw. */
  readonly [describeWork]: () => WorkDescription;
}
