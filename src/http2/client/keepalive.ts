import type { Clock, Timer } from '../../base/clock.ts';

export interface KeepaliveOptions {
  readonly clock: Clock;
  readonly keepaliveMs: number;
  readonly keepaliveTimeoutMs: number;
  /** Pings are sent only while there are streams: without streams etcd counts them as abuse. */
  readonly inUse: () => boolean;
  readonly sendPing: (payload: Buffer) => void;
  readonly onDead: (reason: Error) => void;
}

/** Asks a silent peer whether it still lives. One question at a time: peers end connections that ask too often. */
export class Keepalive {
  readonly #options: KeepaliveOptions;
  #heard = true;
  #tick: Timer | undefined;
  /** The question under way. */
  #asked: { readonly payload: Buffer; readonly deadline: Timer } | undefined;
  #heardSince = false;
  #count = 0;

  constructor(options: KeepaliveOptions) {
    this.#options = options;
    this.#schedule();
  }

  /** Something came from the peer. */
  heard(): void {
    this.#heard = true;
    this.#heardSince = true;
  }

  answered(payload: Buffer): void {
    if (this.#asked?.payload.equals(payload) !== true) return;
    this.#asked.deadline.cancel();
    this.#asked = undefined;
  }

  probe(): void {
    if (this.#asked !== undefined) return;
    const { clock, keepaliveTimeoutMs, sendPing, onDead } = this.#options;
    this.#heardSince = false;
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(++this.#count, 4);
    const deadline = clock.after(keepaliveTimeoutMs, () => {
      this.#asked = undefined;
      // On a slow line the answer can queue behind a large list: what arrives shows life as well.
      if (!this.#heardSince) onDead(new Error(`the peer did not answer a ping within ${keepaliveTimeoutMs} ms`));
    });
    this.#asked = { payload, deadline };
    sendPing(payload);
  }

  stop(): void {
    this.#tick?.cancel();
    this.#asked?.deadline.cancel();
  }

  #schedule(): void {
    this.#tick = this.#options.clock.after(this.#options.keepaliveMs, () => {
      if (!this.#heard && this.#options.inUse()) this.probe();
      this.#heard = false;
      this.#schedule();
    });
  }
}
