import type { ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
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
  if (outlet.closed) return;
  try {
    if ('stream' in response) await writeStream(outlet, response);
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

async function writeStream(outlet: Outlet, response: { status: number; headers: HeaderMap; stream: (sink: Sink) => Promise<void> }): Promise<void> {
  outlet.begin(response.status, response.headers);
  const sink: Sink = {
    write: (chunk) => outlet.write(chunk),
    drained: () => drained(outlet),
    get closed() {
      return outlet.closed;
    },
    onClose: (listener) => outlet.once('close', listener),
  };
  await response.stream(sink);
  if (!outlet.closed) outlet.end();
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
    begin: (status, headers) => stream.respond({ ':status': status, ...headers } as Record<string, string | number | string[]>),
    write: (chunk) => stream.write(chunk),
    end: (last) => stream.end(last),
    fail: () => stream.destroy(),
    get closed() {
      return stream.destroyed || stream.closed;
    },
    once: (event, listener) => void stream.once(event, listener),
    off: (event, listener) => void stream.off(event, listener),
  };
}

export function http1Outlet(response: ServerResponse): Outlet {
  response.on('error', () => undefined);
  return {
    begin: (status, headers) => {
      response.writeHead(status, headers as Record<string, string | number | string[]>);
      response.flushHeaders();
    },
    write: (chunk) => response.write(chunk),
    end: (last) => response.end(last),
    fail: () => response.destroy(),
    get closed() {
      return response.destroyed || response.socket === null || response.socket.destroyed;
    },
    once: (event, listener) => void response.once(event, listener),
    off: (event, listener) => void response.off(event, listener),
  };
}
