/**
 * Answers that go out as messages of a WebSocket (RFC 6455). `ws` opens, frames and closes; what it would gather for a
 * client that takes nothing is bounded here.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { ServerOptions, WebSocket, WebSocketServer } from 'ws';
import type { EvictingQuota } from '../base/evicting-quota.ts';
import type { Sink, WebSocketAnswer } from './exchange.ts';

/**
 * Bytes of a message: where clients have nothing to say, and where the answer has an input.
 *
 * @NOTE differs from upstream: there a message may have 32 MiB before it ends the connection. `ws` hands on whole
 *   messages only, of which each connection may hold one in part.
 */
const maxMessageBytes = { withoutInput: 64 * 1024, withInput: 1024 * 1024 };
type Kind = keyof typeof maxMessageBytes;
const pingEveryMs = 10_000;
/** How long nothing may be said on a WebSocket with an input. As upstream. */
const idleTimeoutMs = 4 * 60 * 60 * 1000;
/**
 * How long a client may take to say goodbye. With an input it is one that reads what a command has said, at its speed,
 * and what is still on the way is lost with the connection.
 */
const closeTimeoutMs = { withoutInput: 5000, withInput: 5 * 60 * 1000 };

/** RFC 6455 section 7.4.1 */
const closeCodes = { normal: 1000, goingAway: 1001 } as const;

/** The types of `ws` do not know `closeTimeout` yet. */
const options = (kind: Kind): ServerOptions & { readonly closeTimeout: number } => ({
  noServer: true,
  maxPayload: maxMessageBytes[kind],
  perMessageDeflate: false,
  autoPong: false,
  closeTimeout: closeTimeoutMs[kind],
});

/** What asks to become a WebSocket. */
export interface Opening {
  readonly message: IncomingMessage;
  readonly socket: Socket;
  /** What came behind the request. */
  readonly head: Buffer;
  /** Called when the request is not needed any more. */
  readonly opened: () => void;
}

export class WebSockets {
  readonly #memory: EvictingQuota;
  readonly #servers = new Map<Kind, WebSocketServer>();
  readonly #protocols = new WeakMap<IncomingMessage, string>();
  #isLeaving = false;

  /** @param memory counts messages that clients do not take */
  constructor(memory: EvictingQuota) {
    this.#memory = memory;
  }

  /**
   * Opens the socket and streams the answer. Whatever happens, the stream runs, and finds its sink closed where there
   * is none.
   */
  async accept(
    { message, socket, head, opened: onOpened }: Opening,
    { stream, webSocket: { protocol, isText, input } }: WebSocketAnswer,
  ): Promise<void> {
    // Kubernetes has subprotocols that are none by RFC 6455, which ws refuses.
    delete message.headers['sec-websocket-protocol'];
    if (protocol !== undefined) this.#protocols.set(message, protocol);
    const server = await this.#load(input === undefined ? 'withoutInput' : 'withInput');
    let opened: WebSocket | undefined;
    if (!socket.destroyed)
      server.handleUpgrade(message, socket, head, (webSocket) => {
        opened = webSocket;
        if (input === undefined) return;
        socket.setTimeout(idleTimeoutMs, () => webSocket.terminate());
        hear(webSocket, input);
      });
    if (opened === undefined) {
      input?.destroy();
      return stream(closedSink);
    }
    onOpened();
    await serve(opened, sinkOf(opened, socket, { isText, memory: this.#memory }), stream, () =>
      this.#isLeaving ? closeCodes.goingAway : closeCodes.normal,
    );
  }

  /**
   * What ends from now on ends because the server goes away.
   *
   * @NOTE differs from upstream: all its watches end with the code for those that are done, 1000.
   */
  leave(): void {
    this.#isLeaving = true;
  }

  /** Most servers never need it. */
  async #load(kind: Kind): Promise<WebSocketServer> {
    const ws = await import('ws');
    const known = this.#servers.get(kind);
    if (known !== undefined) return known;
    const server = new ws.WebSocketServer(options(kind));
    server.on('headers', (headers, message) => {
      const protocol = this.#protocols.get(message);
      if (protocol !== undefined) headers.push(`Sec-WebSocket-Protocol: ${protocol}`);
    });
    this.#servers.set(kind, server);
    return server;
  }
}

/**
 * Hands on each message, and reads the next one when there is space for it. That a client has gone is not seen while it
 * is not read, but when something is written to it: pings.
 */
function hear(webSocket: WebSocket, input: Writable): void {
  let pings: NodeJS.Timeout | undefined;
  input.on('error', () => undefined);
  webSocket.on('message', (data: Buffer) => {
    if (input.destroyed || input.writableEnded || input.write(data)) return;
    webSocket.pause();
    pings ??= setInterval(() => webSocket.ping(), pingEveryMs).unref();
  });
  // What comes later is thrown away, so that a client that has not heard of it can still say goodbye.
  const resume = (): void => {
    clearInterval(pings);
    pings = undefined;
    webSocket.resume();
  };
  input.on('drain', resume).once('close', resume);
  webSocket.once('close', () => {
    clearInterval(pings);
    input.end();
  });
}

async function serve(
  webSocket: WebSocket,
  sink: Sink,
  stream: (sink: Sink) => Promise<void>,
  closeCode: () => number,
): Promise<void> {
  try {
    await stream(sink);
    webSocket.close(closeCode());
  } catch {
    webSocket.terminate();
  }
}

function sinkOf(
  webSocket: WebSocket,
  socket: Socket,
  { isText, memory }: { readonly isText: boolean; readonly memory: EvictingQuota },
): Sink {
  const usage = memory.track({
    evict: () => webSocket.terminate(),
    progress: () => socket.bytesWritten - socket.writableLength,
  });
  socket.once('close', () => usage.set(0));
  // What a client does against the protocol closes its socket, which is all there is to it.
  webSocket.on('error', () => undefined);
  // Answers to pings would gather behind what a client does not take.
  webSocket.on('ping', (data) => {
    if (!socket.writableNeedDrain) webSocket.pong(data);
  });
  return {
    write(chunk) {
      // Messages that come together leave together.
      socket.cork();
      process.nextTick(() => socket.uncork());
      webSocket.send(chunk, { binary: !isText });
      if (socket.writableNeedDrain && !socket.destroyed) usage.set(socket.writableLength);
      return !socket.writableNeedDrain;
    },
    drained: () => drained(webSocket, socket).then(() => usage.set(0)),
    get closed() {
      return webSocket.readyState !== webSocket.OPEN;
    },
    onClose: (listener) => void webSocket.once('close', listener),
    abort: () => webSocket.terminate(),
  };
}

function drained(webSocket: WebSocket, socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (webSocket.readyState !== webSocket.OPEN || !socket.writableNeedDrain) return resolve();
    const done = (): void => {
      socket.off('drain', done);
      webSocket.off('close', done);
      resolve();
    };
    socket.once('drain', done);
    webSocket.once('close', done);
  });
}

const closedSink: Sink = {
  write: () => true,
  drained: () => Promise.resolve(),
  closed: true,
  onClose: () => undefined,
  abort: () => undefined,
};
