import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Requests that a client sends behind each other without waiting are worked on one by one, as upstream: answers have an
 * order, and so have their effects.
 */
export class Pipelining {
  /** The last answer that a connection waits for. */
  readonly #last = new WeakMap<Socket, ServerResponse>();

  /** Whether a request is in work, or queued. */
  isBusy(socket: Socket): boolean {
    return this.#last.has(socket);
  }

  /** Calls back when everything before is answered. */
  after(socket: Socket, serve: () => void): void {
    const earlier = this.#last.get(socket);
    if (earlier === undefined) serve();
    else earlier.once('close', () => void (socket.writable && serve()));
  }

  /** The same, for a request whose answer others have to wait for. */
  take(socket: Socket, response: ServerResponse, serve: () => void): void {
    this.after(socket, serve);
    this.#last.set(socket, response);
    response.once('close', () => {
      if (this.#last.get(socket) === response) this.#last.delete(socket);
    });
  }
}
