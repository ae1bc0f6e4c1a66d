/**
 * Calls between threads: functions and streams of one side, called from the other over a message port.
 *
 * Arguments and results are cloned (structured clone algorithm). Errors are translated by the two sides, as a clone
 * loses what class they are of. A call that is aborted ends at once for its caller, and its signal aborts on the other
 * side.
 */
import type { MessagePort } from 'node:worker_threads';

/** A `MessagePort`, or a `Worker`, which is one but has no `close`. */
export type CallPort = Pick<MessagePort, 'postMessage' | 'on'> & Partial<Pick<MessagePort, 'close'>>;

/** Bytes arrive as `Uint8Array`. */
export type Method = (args: readonly never[], signal: AbortSignal) => unknown;

/** How errors go over the port. What `encode` gives must be cloneable. */
export interface ErrorTranslation {
  encode(error: unknown): unknown;
  decode(encoded: unknown): Error;
}

interface CallMessage {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
  readonly isStream: boolean;
}

type ReplyMessage =
  | { readonly to: number; readonly result: unknown }
  | { readonly to: number; readonly item: unknown }
  | { readonly to: number; readonly isOver: true }
  | { readonly to: number; readonly error: unknown };

interface AbortMessage {
  readonly abort: number;
}

type Message = CallMessage | ReplyMessage | AbortMessage;

interface Waiting {
  result(value: unknown): void;
  item(value: unknown): void;
  end(): void;
  fail(error: Error): void;
}

export interface PortCallsOptions {
  /** What the other side may call. */
  readonly methods?: Readonly<Record<string, Method>>;
  readonly errors: ErrorTranslation;
}

export class PortCalls {
  readonly #port: CallPort;
  readonly #options: PortCallsOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #answering = new Map<number, AbortController>();
  #next = 1;
  #closed: Error | undefined;

  constructor(port: CallPort, options: PortCallsOptions) {
    this.#port = port;
    this.#options = options;
    port.on('message', (message: Message) => this.#receive(message));
    port.on('close', () => this.close(new Error('the other side is gone')));
  }

  /** @param transfer buffers in `args` that are handed over instead of copied */
  call(
    method: string,
    args: readonly unknown[],
    { signal, transfer = [] }: { signal?: AbortSignal | undefined; transfer?: readonly ArrayBuffer[] } = {},
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = this.#begin({ result: resolve, item: () => undefined, end: () => undefined, fail: reject }, signal);
      if (id !== undefined)
        this.#port.postMessage({ id, method, args, isStream: false } satisfies CallMessage, transfer);
    });
  }

  /** Items wait here until they are taken. Ends without an error when `signal` aborts. */
  async *stream(method: string, args: readonly unknown[], signal: AbortSignal): AsyncGenerator<unknown, void> {
    if (signal.aborted) return;
    const items: unknown[] = [];
    let isOver = false;
    let failure: Error | undefined;
    let wake: () => void = () => undefined;
    const id = this.#begin(
      {
        result: () => undefined,
        item: (value) => (items.push(value), wake()),
        end: () => ((isOver = true), wake()),
        fail: (error) => ((failure = signal.aborted ? undefined : error), (isOver = true), wake()),
      },
      signal,
    );
    if (id !== undefined) this.#port.postMessage({ id, method, args, isStream: true } satisfies CallMessage);
    try {
      for (;;) {
        while (items.length > 0) yield items.shift();
        if (failure !== undefined) throw failure;
        if (isOver || signal.aborted) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      if (id !== undefined && this.#waiting.delete(id)) this.#post({ abort: id });
    }
  }

  /** Fails what waits, and aborts what is worked on. */
  close(reason: Error): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    for (const waiting of this.#waiting.values()) waiting.fail(reason);
    this.#waiting.clear();
    for (const controller of this.#answering.values()) controller.abort(reason);
    this.#answering.clear();
    this.#port.close?.();
  }

  #begin(waiting: Waiting, signal: AbortSignal | undefined): number | undefined {
    if (this.#closed !== undefined || signal?.aborted === true) {
      waiting.fail(this.#closed ?? (signal!.reason as Error));
      return undefined;
    }
    const id = this.#next++;
    if (signal === undefined) {
      this.#waiting.set(id, waiting);
      return id;
    }
    const abort = (): void => {
      if (!this.#waiting.delete(id)) return;
      this.#post({ abort: id });
      waiting.fail(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    const done = (): void => signal.removeEventListener('abort', abort);
    this.#waiting.set(id, {
      ...waiting,
      result: (value) => (done(), waiting.result(value)),
      end: () => (done(), waiting.end()),
      fail: (error) => (done(), waiting.fail(error)),
    });
    return id;
  }

  #post(message: Message): void {
    if (this.#closed === undefined) this.#port.postMessage(message);
  }

  #receive(message: Message): void {
    if ('method' in message) void this.#answer(message);
    else if ('abort' in message)
      this.#answering.get(message.abort)?.abort(new Error('the caller does not wait any more'));
    else this.#hear(message);
  }

  #hear(message: ReplyMessage): void {
    const waiting = this.#waiting.get(message.to);
    if (waiting === undefined) return;
    if ('item' in message) return waiting.item(message.item);
    this.#waiting.delete(message.to);
    if ('result' in message) waiting.result(message.result);
    else if ('isOver' in message) waiting.end();
    else waiting.fail(this.#options.errors.decode(message.error));
  }

  async #answer({ id, method, args, isStream }: CallMessage): Promise<void> {
    const controller = new AbortController();
    this.#answering.set(id, controller);
    try {
      const given = this.#options.methods?.[method];
      if (given === undefined) throw new Error(`there is no method ${method}`);
      const result = given(args as readonly never[], controller.signal);
      if (!isStream) return this.#post({ to: id, result: await result });
      for await (const item of result as AsyncIterable<unknown>) this.#post({ to: id, item });
      this.#post({ to: id, isOver: true });
    } catch (error) {
      this.#post({ to: id, error: this.#options.errors.encode(error) });
    } finally {
      this.#answering.delete(id);
    }
  }
}
