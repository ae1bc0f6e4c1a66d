import { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';
import { Setting, connectionPreface } from '../frames.ts';
import { ServerConnection } from '../server/connection.ts';
import type { ServerConnectionOptions } from '../server/connection-options.ts';
import { onRequest, serverOptions } from './http2-server.ts';
import type { Handler } from './http2-server.ts';
import { settings, windowUpdate } from './client-frames.ts';

/** A connection whose client reads nothing until it is told to: what the server sends waits in the socket. */
export class NonReadingClient extends Duplex {
  /** Bytes. */
  taken = 0;
  /** The end of what was taken. */
  tail = Buffer.alloc(0);
  #listens = false;
  #waiting: (() => void) | undefined;

  listen(): void {
    this.#listens = true;
    this.#waiting?.();
  }

  /** Takes one write, if one waits. */
  listenOnce(): void {
    const take = this.#waiting;
    this.#waiting = undefined;
    take?.();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const take = (): void => {
      this.taken += chunk.length;
      this.tail = Buffer.concat([this.tail, chunk]).subarray(-100);
      done();
    };
    if (this.#listens) setImmediate(take);
    else this.#waiting = take;
  }
}

/** Its windows are as wide as they can be. */
export function connectNonReading(
  handler: Handler,
  options: Partial<ServerConnectionOptions> = {},
): { socket: NonReadingClient; connection: ServerConnection } {
  const socket = new NonReadingClient();
  const connection = new ServerConnection(socket, { ...serverOptions, onRequest: onRequest(handler), ...options });
  onTestFinished(() => void socket.destroy());
  socket.push(
    Buffer.concat([
      connectionPreface,
      settings([Setting.initialWindowSize, 0x7fff_ffff]),
      windowUpdate(0, 0x7000_0000),
    ]),
  );
  return { socket, connection };
}
