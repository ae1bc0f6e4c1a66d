import type { Socket } from 'node:net';
import { StallTimer } from '../../base/stall-timer.ts';

/**
 * Connections over HTTP/1.1 and how many requests each has in work, so that a server that stops can end those at rest
 * without cutting an answer.
 *
 * A connection ends when something waits for its client and nothing of it is taken for a time. On what was handed over
 * to another protocol it may: the other side decides.
 */
export class Http1Connections {
  readonly #standstill: StallTimer<Socket>;
  readonly #handedOver = new WeakSet<Socket>();
  readonly #timer: NodeJS.Timeout;
  readonly #inWork = new Map<Socket, number>();
  #isLeaving = false;

  /** @param stallMs how long a client may take nothing of what waits for it */
  constructor(stallMs: number) {
    this.#standstill = new StallTimer(stallMs);
    this.#timer = setInterval(this.#endStalled, stallMs / 2).unref();
  }

  /** Does nothing for one that is here. */
  add(socket: Socket, onClose: () => void = () => undefined): void {
    if (this.#inWork.has(socket)) return;
    this.#inWork.set(socket, 0);
    socket.once('close', () => {
      this.#inWork.delete(socket);
      onClose();
    });
    if (this.#isLeaving) socket.end();
  }

  /** @returns what to call when the answer is through */
  begin(socket: Socket): () => void {
    this.#inWork.set(socket, (this.#inWork.get(socket) ?? 0) + 1);
    return () => {
      const left = (this.#inWork.get(socket) ?? 1) - 1;
      if (!socket.destroyed) this.#inWork.set(socket, left);
      if (left === 0 && this.#isLeaving) socket.end();
    };
  }

  /** Another protocol is spoken from here on. */
  handOver(socket: Socket): void {
    this.#handedOver.add(socket);
  }

  readonly #endStalled = (): void => {
    const isStill = this.#standstill.look();
    for (const socket of this.#inWork.keys()) {
      // What has left, of all that was written: what waits may grow meanwhile.
      if (
        socket.writableLength > 0 &&
        !this.#handedOver.has(socket) &&
        isStill(socket, socket.bytesWritten - socket.writableLength)
      )
        socket.destroy();
    }
    if (this.#isLeaving && this.#inWork.size === 0) clearInterval(this.#timer);
  };

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** Each connection ends when it has no request in work. */
  leave(): void {
    this.#isLeaving = true;
    for (const [socket, count] of this.#inWork) if (count === 0) socket.end();
  }
}
