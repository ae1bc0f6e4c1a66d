import type { Socket } from 'node:net';

/** Connections over HTTP/1.1 and how many requests each has in work, so that a server that stops can end those at rest without cutting an answer. */
export class Http1Connections {
  readonly #inWork = new Map<Socket, number>();
  #isLeaving = false;

  /** Does nothing for one that is here. */
  add(socket: Socket): void {
    if (this.#inWork.has(socket)) return;
    this.#inWork.set(socket, 0);
    socket.once('close', () => this.#inWork.delete(socket));
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

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** Each connection ends when it has no request in work. */
  leave(): void {
    this.#isLeaving = true;
    for (const [socket, count] of this.#inWork) if (count === 0) socket.end();
  }
}
