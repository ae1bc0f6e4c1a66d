/** The clients of a flood: many connections on loopback. */
import { readFile } from 'node:fs/promises';
import tls from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Flag,
  FrameType,
  Setting,
  connectionPreface,
  frame,
  settingsPayload,
  uint32,
} from '../../../src/http2/frames.ts';
import { encodeHeaders } from '../../../src/http2/hpack/encoder.ts';

export interface FloodTarget {
  readonly port: number;
  /** PEM */
  readonly ca: string;
  readonly token: string;
}

/** Handshakes at a time. */
const atOnce = 40;

export class FloodClients {
  readonly #target: FloodTarget;
  readonly #context: tls.SecureContext;
  readonly #sockets = new Set<tls.TLSSocket>();

  constructor(target: FloodTarget) {
    this.#target = target;
    this.#context = tls.createSecureContext({ ca: target.ca });
  }

  get authorization(): string {
    return `Bearer ${this.#target.token}`;
  }

  get open(): number {
    return this.#sockets.size;
  }

  /** Undefined where the server did not take the connection. */
  async connect(protocol: 'h2' | 'http/1.1'): Promise<tls.TLSSocket | undefined> {
    const { port } = this.#target;
    const socket = tls.connect({
      host: '127.0.0.1',
      port,
      servername: 'localhost',
      secureContext: this.#context,
      ALPNProtocols: [protocol],
    });
    this.#sockets.add(socket);
    return new Promise((resolve) => {
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        resolve(undefined);
      });
      socket.once('secureConnect', () => resolve(socket));
    });
  }

  /** Opens connections and calls `speak` for each. Resolves when all calls have. */
  async each(
    count: number,
    protocol: 'h2' | 'http/1.1',
    speak: (socket: tls.TLSSocket, index: number) => Promise<unknown> | void,
  ): Promise<void> {
    let next = 0;
    const spoken: Promise<unknown>[] = [];
    const connect = async (): Promise<void> => {
      for (let index = next++; index < count; index = next++) {
        const socket = await this.connect(protocol);
        if (socket !== undefined) spoken.push(Promise.resolve(speak(socket, index)));
      }
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, count) }, connect));
    await Promise.all(spoken);
  }

  async closeAll(): Promise<void> {
    const closed = [...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }
}

/** Writes until all is written, the server has taken nothing for a while, or the connection is closed. */
export async function pour(socket: tls.TLSSocket, chunks: Iterable<Buffer>, patienceMs = 500): Promise<void> {
  for (const chunk of chunks) {
    if (socket.destroyed) return;
    if (!socket.write(chunk) && !(await drained(socket, patienceMs))) return;
  }
}

const drained = (socket: tls.TLSSocket, patienceMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const done = (isDrained: boolean): void => {
      clearTimeout(timer);
      socket.off('drain', yes).off('close', no);
      resolve(isDrained);
    };
    const yes = (): void => done(true);
    const no = (): void => done(false);
    const timer = setTimeout(no, patienceMs);
    socket.once('drain', yes).once('close', no);
  });

export function* repeated(chunk: Buffer, total: number): Iterable<Buffer> {
  for (let sent = 0; sent < total; sent += chunk.length) yield chunk;
}

/** Reads all that comes and drops it. */
export const listen = (socket: tls.TLSSocket): void => void socket.resume();

export const pause = sleep;

export const h2 = {
  greeting: (...settings: ReadonlyArray<readonly [id: number, value: number]>): Buffer =>
    Buffer.concat([connectionPreface, frame(FrameType.settings, 0, 0, settingsPayload(settings))]),
  request: (
    id: number,
    method: string,
    path: string,
    { end = true, headers = [] as ReadonlyArray<readonly [string, string]> } = {},
  ): Buffer => {
    const fields = [
      [':method', method],
      [':scheme', 'https'],
      [':path', path],
      [':authority', 'localhost'],
      ...headers,
    ] as const;
    return frame(FrameType.headers, Flag.endHeaders | (end ? Flag.endStream : 0), id, encodeHeaders(fields));
  },
  data: (id: number, bytes: Buffer, end = false): Buffer => frame(FrameType.data, end ? Flag.endStream : 0, id, bytes),
  windowUpdate: (id: number, bytes: number): Buffer => frame(FrameType.windowUpdate, 0, id, uint32(bytes)),
};

/** The client does not allow any byte of a body. */
export const noWindow = h2.greeting([Setting.initialWindowSize, 0]);

/** Of the first streams of a client. */
export const ids = (count: number): number[] => Array.from({ length: count }, (_, i) => 2 * i + 1);

/** Files that a process needs besides its connections. */
const otherFiles = 300;

/** How many connections a process like this one can have. The runtime has raised its limit as far as it may. */
export async function clientLimits(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, files] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  return files === undefined ? Infinity : Number(files) - otherFiles;
}
