/**
 * One request on a pool of connections, and its whole answer: without the streams that undici's own `request` makes,
 * which cost a short call more than its connection does.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { CallEnd } from './call-end.ts';

export interface WholeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Undefined where it is longer than was asked for; the rest is not read then. */
  readonly body: Buffer | undefined;
}

export interface ExchangeOptions {
  readonly request: Dispatcher.DispatchOptions;
  readonly end: CallEnd;
  readonly maxAnswerBytes: number;
  /** The headers of the answer are there. */
  readonly onAnswer: (status: number) => void;
}

/** Rejects when there is no whole answer. */
export const exchange = (connections: Dispatcher, options: ExchangeOptions): Promise<WholeAnswer> =>
  new Promise((resolve, reject) => {
    const handler = new AnswerReader(options, resolve, reject);
    options.end.listen((reason) => handler.abort(reason));
    if (!handler.isAborted) connections.dispatch(options.request, handler);
  });

class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #resolve: (answer: WholeAnswer) => void;
  readonly #reject: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: { readonly reason: Error } | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(options: ExchangeOptions, resolve: (answer: WholeAnswer) => void, reject: (error: Error) => void) {
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  get isAborted(): boolean {
    return this.#aborted !== undefined;
  }

  /** A request that waits for a connection is given up when it gets one. */
  abort(reason: unknown): void {
    this.#aborted = { reason: reason as Error };
    this.#reject(reason as Error);
    this.#controller?.abort(reason as Error);
  }

  /** Again where the connection broke before the request was on it. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted !== undefined) controller.abort(this.#aborted.reason);
  }

  /** More than once where the server sends interim answers. */
  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    this.#options.onAnswer(status);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size <= this.#options.maxAnswerBytes) {
      this.#chunks.push(chunk);
      return;
    }
    this.#resolve({ status: this.#status, headers: this.#headers, body: undefined });
    controller.abort(new Error('the answer is too long'));
  }

  onResponseEnd(): void {
    const body = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }
}
