/** Notices that a connection has had no streams for a time: one timer per period, not one per request. */
export class IdleTimer {
  readonly #idleMs: number;
  readonly #streams: { readonly size: number };
  readonly #onIdle: () => void;
  #since = performance.now();
  #timer: NodeJS.Timeout;

  constructor(idleMs: number, streams: { readonly size: number }, onIdle: () => void) {
    this.#idleMs = idleMs;
    this.#streams = streams;
    this.#onIdle = onIdle;
    this.#timer = setTimeout(this.#look, idleMs);
  }

  /** The last stream is closed. */
  begin(): void {
    this.#since = performance.now();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  readonly #look = (): void => {
    const left = this.#streams.size > 0 ? this.#idleMs : this.#since + this.#idleMs - performance.now();
    if (left > 0) this.#timer = setTimeout(this.#look, left);
    else this.#onIdle();
  };
}
