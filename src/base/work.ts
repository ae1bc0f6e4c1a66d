/**
 * What a thread is at work on, for who looks at it from outside while it is busy and cannot be asked. The stall
 * detector finds objects that say so among the variables of the functions that are running (`server/stall-detector/`);
 * nothing is done for it while nothing stalls.
 */
export const describeWork: unique symbol = Symbol.for('orch.work') as never;

/** Words for the log: `verb`, `resource`, `user`, … Empty ones are left out. */
export type WorkDescription = Readonly<Record<string, string>>;

export interface Work {
  /** Called in the middle of other code: it only reads, waits for nothing and does not throw. */
  readonly [describeWork]: () => WorkDescription;
}
