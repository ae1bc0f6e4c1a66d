import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { ServerConnection } from '../http2/server/connection.ts';
import type { ServerStream } from '../http2/server/stream.ts';
import type { ApiResponse, HeaderMap, Sink } from './exchange.ts';
import { bulkTurns, isBulk } from '../base/bulk-turns.ts';
import type { EvictingQuota } from '../base/evicting-quota.ts';
import { onBrokenBody } from './http1/broken-bodies.ts';
import { httpDate } from './http-date.ts';

/** The ways out, behind one shape: headers first, then bytes, then the end. */
interface Outlet {
  begin(status: number, headers: HeaderMap): void;
  readonly write: (chunk: Buffer) => boolean;
  /** Of more bytes than these it cannot be seen how many were taken. */
  readonly mostAtOnce?: number;
  end(last?: Buffer | string): void;
  fail(): void;
  readonly closed: boolean;
  /** When the written data has been sent, or the client has gone. */
  drained(): Promise<void>;
  onClose(listener: () => void): void;
}

/** Writes an answer. Never throws: a client that went away is no error of ours. */
export async function respond(outlet: Outlet, response: ApiResponse, isHead: boolean): Promise<void> {
  try {
    if ('stream' in response) await writeStream(outlet, response);
    else if (outlet.closed) return;
    else if ('chunks' in response) await writeChunks(outlet, response, isHead);
    else await writeBody(outlet, response, isHead);
  } catch {
    outlet.fail();
  }
}

async function writeBody(
  outlet: Outlet,
  response: { status: number; headers: HeaderMap; body?: Buffer | string },
  isHead: boolean,
): Promise<void> {
  const { status, headers, body } = response;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const { mostAtOnce = Infinity } = outlet;
  if (bytes !== undefined && bytes.length > mostAtOnce)
    return writeChunks(outlet, { status, headers, chunks: piecesOf(bytes, mostAtOnce), length: bytes.length }, isHead);
  outlet.begin(status, bytes === undefined ? headers : { ...headers, 'content-length': bytes.length });
  outlet.end(isHead ? undefined : bytes);
}

function* piecesOf(bytes: Buffer, length: number): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function writeChunks(
  outlet: Outlet,
  response: { status: number; headers: HeaderMap; chunks: Iterable<Buffer>; length?: number },
  isHead: boolean,
): Promise<void> {
  outlet.begin(
    response.status,
    response.length === undefined ? response.headers : { ...response.headers, 'content-length': response.length },
  );
  if (!isHead) {
    // Chunks are made when they are asked for, which is most of the work.
    for (const chunk of response.chunks) {
      if (!outlet.write(chunk)) await outlet.drained();
      if (isBulk(chunk)) await bulkTurns.next();
      if (outlet.closed) return;
    }
  }
  outlet.end();
}

/** The stream runs in any case: it lets go what it holds open when it finds its sink closed. */
async function writeStream(
  outlet: Outlet,
  response: { status: number; headers: HeaderMap; stream: (sink: Sink) => Promise<void> },
): Promise<void> {
  const hasBegun = begin(outlet, response);
  const sink: Sink = {
    write: outlet.write,
    drained: () => outlet.drained(),
    get closed() {
      return !hasBegun || outlet.closed;
    },
    onClose: (listener) => outlet.onClose(listener),
    abort: () => outlet.fail(),
  };
  await response.stream(sink);
  if (!sink.closed) outlet.end();
}

/** False when the client has gone. */
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

/**
 * There is no such header in HTTP/2 (RFC 9113 section 8.2.2): GOAWAY says the same, and streams that are open go on.
 */
export const asksToLeave = (headers: HeaderMap): boolean => headers['connection'] === 'close';

export function http2Outlet(stream: ServerStream, connection: ServerConnection): Outlet {
  return {
    begin: (status, headers) => {
      stream.respond(status, fieldsOf(headers));
      // A handler that needs the body has begun to read it before it answers.
      stream.dropUnreadBody();
      if (asksToLeave(headers)) connection.leave();
    },
    write: (chunk) => stream.write(chunk),
    end: (last) => stream.end(typeof last === 'string' ? Buffer.from(last) : last),
    fail: () => stream.reset(),
    get closed() {
      return stream.closed;
    },
    drained: () => new Promise((resolve) => stream.onDrain(resolve)),
    onClose: (listener) => stream.onClose(listener),
  };
}

function fieldsOf(headers: HeaderMap): (readonly [name: string, value: string])[] {
  const fields: (readonly [string, string])[] = [];
  for (const name in headers) {
    const value = headers[name]!;
    if (name === 'connection') continue;
    if (typeof value === 'object') for (const one of value) fields.push([name.toLowerCase(), one]);
    else fields.push([name.toLowerCase(), String(value)]);
  }
  if (headers['date'] === undefined) fields.push(['date', httpDate()]);
  return fields;
}

/** The end of a Node stream's side, as an outlet has it. */
const endOf = (stream: Writable): Pick<Outlet, 'drained' | 'onClose'> => ({
  drained: () =>
    new Promise((resolve) => {
      if (stream.destroyed) return resolve();
      // Both go together, or a long stream would gather a listener for its end at every pause.
      const done = (): void => {
        stream.off('drain', done);
        stream.off('close', done);
        resolve();
      };
      stream.once('drain', done);
      stream.once('close', done);
    }),
  onClose: (listener) => void stream.once('close', listener),
});

/** A connection that speaks another protocol behind the head of the answer. */
export function upgradedOutlet(socket: Socket): Outlet {
  return {
    begin: (_, headers) => {
      const lines = Object.entries(headers).flatMap(([name, value]) =>
        (Array.isArray(value) ? (value as string[]) : [value as string]).map((one) => `${name}: ${one}\r\n`),
      );
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`, 'latin1');
    },
    write: (chunk) => socket.write(chunk),
    end: () => socket.destroySoon(),
    fail: () => void socket.destroy(),
    get closed() {
      return socket.destroyed;
    },
    ...endOf(socket),
  };
}

const nothing = Buffer.alloc(0);

/** How long a client may go on sending a body that was answered already. */
const lingerMs = 5000;
/** The same where the end of the body would not be seen. As upstream. */
const brokenLingerMs = 500;

/**
 * A connection whose request was not read to its end is closed with the answer, and a client that still sends would
 * lose the answer with it. So the rest is read and dropped before the end.
 */
function endWithRequest(request: IncomingMessage, response: ServerResponse): void {
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  let timer = setTimeout(end, lingerMs).unref();
  onBrokenBody(request, () => {
    clearTimeout(timer);
    timer = setTimeout(end, brokenLingerMs).unref();
  });
  request.once('end', end).once('close', end).resume();
}

/** @param memory counts what the client does not take */
export function http1Outlet(request: IncomingMessage, response: ServerResponse, memory: EvictingQuota): Outlet {
  response.on('error', () => undefined);
  const { socket } = request;
  const usage = memory.track({
    evict: () => socket.destroy(),
    progress: () => socket.bytesWritten - socket.writableLength,
  });
  response.once('close', () => usage.set(0));
  const count = (): void => usage.set(response.destroyed || socket.destroyed ? 0 : socket.writableLength);
  return {
    begin: (status, headers) => {
      response.writeHead(status, headers as Record<string, string | number | string[]>);
      // Node writes headers alone as UTF-8, which would encode twice what is encoded already; before bytes it does not.
      response.write(nothing);
    },
    write: (chunk) => {
      const isTaken = response.write(chunk);
      if (!isTaken) count();
      return isTaken;
    },
    mostAtOnce: 256 * 1024,
    end: (last) => {
      if (request.complete) response.end(last);
      else {
        if (last !== undefined) response.write(last);
        endWithRequest(request, response);
      }
      if (socket.writableNeedDrain) count();
    },
    fail: () => response.destroy(),
    get closed() {
      return response.destroyed || response.socket === null || response.socket.destroyed;
    },
    onClose: endOf(response).onClose,
    drained: async () => {
      await endOf(response).drained();
      usage.set(0);
    },
  };
}
