import type { ConnectionObserver } from './connection-observer.ts';
import type { ExecObserver } from './exec-observer.ts';

/** Told of the calls that a daemon makes itself, for its metrics. */
export interface CallObserver extends ConnectionObserver {
  /** Of the plugins that give credentials for calls. */
  readonly plugins?: ExecObserver;
  /** @param host name and port of the server that is asked */
  begins(host: string, bodyBytes: number): Call;
}

export interface Call {
  /** @param status undefined where there was no answer */
  answered(status: number | undefined): void;
  /** The answer has been read to its end, or never will be. @param answerBytes undefined where it was not read whole */
  ended(answerBytes: number | undefined): void;
}
