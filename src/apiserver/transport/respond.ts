import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { ApiResponse, HeaderMap, Sink } from '../request.ts';

/** The two ways out of Node, behind one shape: headers first, then bytes, then the end. */
interface Outlet {
  begin(status: number, headers: HeaderMap): void;
  write(chunk: Buffer): boolean;
  end(last?: Buffer | string): void;
  fail(): void;
  readonly closed: boolean;
  once(event: 'drain' | 'close', listener: () => void): void;
  off(event: 'drain' | 'close', listener: () => void): void;
}

/** Writes an answer. Never throws: a client that went away is no error of ours. */
export async function respond(outlet: Outlet, response: ApiResponse, isHead: boolean): Promise<void> {
  try {
    if ('stream' in response) await writeStream(outlet, response);
    else if (outlet.closed) return;
    else if ('chunks' in response) await writeChunks(outlet, response, isHead);
    else writeBody(outlet, response, isHead);
  } catch {
    outlet.fail();
  }
}

function writeBody(outlet: Outlet, response: { status: number; headers: HeaderMap; body?: Buffer | string }, isHead: boolean): void {
  const { status, headers, body } = response;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  outlet.begin(status, bytes === undefined ? headers : { ...headers, 'content-length': bytes.length });
  outlet.end(isHead ? undefined : bytes);
}

async function writeChunks(outlet: Outlet, response: { status: number; headers: HeaderMap; chunks: Iterable<Buffer>; length?: number }, isHead: boolean): Promise<void> {
  outlet.begin(response.status, response.length === undefined ? response.headers : { ...response.headers, 'content-length': response.length });
  if (!isHead) {
    for (const chunk of response.chunks) {
      if (!outlet.write(chunk)) await drained(outlet);
      if (outlet.closed) return;
    }
  }
  outlet.end();
}

/** The stream runs in any case: it lets go what it holds open when it finds its sink closed. */
async function writeStream(outlet: Outlet, response: { status: number; headers: HeaderMap; stream: (sink: Sink) => Promise<void> }): Promise<void> {
  const hasBegun = begin(outlet, response);
  const sink: Sink = {
    write: (chunk) => outlet.write(chunk),
    drained: () => drained(outlet),
    get closed() {
      return !hasBegun || outlet.closed;
    },
    onClose: (listener) => outlet.once('close', listener),
    abort: () => outlet.fail(),
  };
  await response.stream(sink);
  if (!sink.closed) outlet.end();
}

/** False when there is nobody to answer to any more. */
function begin(outlet: Outlet, { status, headers }: { status: number; headers: HeaderMap }): boolean {
  if (outlet.closed) return false;
  try {
    outlet.begin(status, headers);
    return true;
  } catch {
    outlet.fail();
    return false;
  }
}

function drained(outlet: Outlet): Promise<void> {
  return new Promise((resolve) => {
    if (outlet.closed) return resolve();
    // Both go together, or a long stream would gather a listener for its end at every pause.
    const done = (): void => {
      outlet.off('drain', done);
      outlet.off('close', done);
      resolve();
    };
    outlet.once('drain', done);
    outlet.once('close', done);
  });
}

export function http2Outlet(stream: ServerHttp2Stream): Outlet {
  stream.on('error', () => undefined);
  return {
    begin: (status, { connection, ...headers }) => {
      stream.respond({ ':status': status, ...headers } as Record<string, string | number | string[]>);
      // There is no such header in HTTP/2 (RFC 9113 section 8.2.2): GOAWAY says the same, and streams that are open go on.
      if (connection === 'close') stream.session?.close();
    },
    write: (chunk) => stream.write(chunk),
    end: (last) => stream.end(last),
    fail: () => {
      stream.close(constants.NGHTTP2_CANCEL);
      stream.destroy();
    },
    get closed() {
      return stream.destroyed || stream.closed;
    },
    once: (event, listener) => void stream.once(event, listener),
    off: (event, listener) => void stream.off(event, listener),
  };
}

/** A connection that speaks another protocol behind the head of the answer. */
export function upgradedOutlet(socket: Socket): Outlet {
  return {
    begin: (_, headers) => {
      const lines = Object.entries(headers).flatMap(([name, value]) => (Array.isArray(value) ? (value as string[]) : [value as string]).map((one) => `${name}: ${one}\r\n`));
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`, 'latin1');
    },
    write: (chunk) => socket.write(chunk),
    end: () => socket.destroySoon(),
    fail: () => void socket.destroy(),
    get closed() {
      return socket.destroyed;
    },
    once: (event, listener) => void socket.once(event, listener),
    off: (event, listener) => void socket.off(event, listener),
  };
}

const nothing = Buffer.alloc(0);

/** How long a client may go on sending a body that was answered already. */
const lingerMs = 5000;

/**
 * A connection whose request was not read to its end is closed with the answer, and a client that still sends would lose
 * the answer with it. So the rest is read and dropped before the end.
 */
function endWithRequest(request: IncomingMessage, response: ServerResponse): void {
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, lingerMs).unref();
  request.once('end', end).once('close', end).resume();
}

export function http1Outlet(request: IncomingMessage, response: ServerResponse): Outlet {
  response.on('error', () => undefined);
  return {
    begin: (status, headers) => {
      response.writeHead(status, headers as Record<string, string | number | string[]>);
      // Node writes headers alone as UTF-8, which would encode twice what is encoded already; before bytes it does not.
      response.write(nothing);
    },
    write: (chunk) => response.write(chunk),
    end: (last) => {
      if (request.complete) return void response.end(last);
      if (last !== undefined) response.write(last);
      endWithRequest(request, response);
    },
    fail: () => response.destroy(),
    get closed() {
      return response.destroyed || response.socket === null || response.socket.destroyed;
    },
    once: (event, listener) => void response.once(event, listener),
    off: (event, listener) => void response.off(event, listener),
  };
}
