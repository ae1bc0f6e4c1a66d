import http from 'node:http';
import http2 from 'node:http2';
import type net from 'node:net';
import { type Address, authorityOf } from '../webhooks/service-resolver.ts';
import {
  pingTimeoutMs,
  BrokenConnection,
  type BackendRequest,
  type BackendResponse,
  type Upgraded,
  type Session,
  type Place,
} from './backend-session.ts';

/** Ends a connection that is not used, and one that is dead. */
export function ask({ session, streams }: Session): void {
  if (streams === 0) return session.close();
  const timer = setTimeout(
    () => session.destroy(Object.assign(new Error('http2: client connection lost'), { code: 'ECONNRESET' })),
    pingTimeoutMs,
  ).unref();
  if (!session.ping(() => clearTimeout(timer))) session.destroy();
}

export function sendHttp2(
  entry: Session,
  authority: string,
  { method, target, headers, body, signal }: BackendRequest,
): Promise<BackendResponse> {
  const { session, used: wasUsed } = entry;
  entry.used = true;
  return new Promise((resolve, reject) => {
    const stream = session.request(
      {
        ':method': method,
        ':path': target,
        ':authority': authority,
        ':scheme': 'https',
        ...Object.fromEntries(headers),
      } as unknown as http2.OutgoingHttpHeaders,
      { endStream: body === undefined, signal },
    );
    entry.streams++;
    let failure: unknown;
    stream.once('response', (_headers, _flags, raw?: string[]) => {
      const { ':status': [status] = [], ...rest } = Object.fromEntries(collect(raw ?? []));
      resolve({ status: Number(status), headers: new Map(Object.entries(rest)), body: stream });
    });
    stream.on('error', (error) => void (failure ??= error));
    stream.once('close', () => {
      entry.streams--;
      reject(
        new BrokenConnection(failure ?? Object.assign(new Error('EOF'), { code: 'ECONNRESET' }), {
          wasUsed,
          refused: stream.rstCode === http2.constants.NGHTTP2_REFUSED_STREAM,
        }),
      );
    });
    // Not a pipeline, which would end the source with the target: the source is also the way back to the client.
    body?.pipe(stream);
  });
}

export function sendHttp1(
  { agent }: Pick<Place, 'agent'>,
  address: Address,
  { method, target, headers, body, signal }: BackendRequest,
): Promise<BackendResponse> {
  return new Promise((resolve, reject) => {
    const request = http.request({
      agent,
      host: address.host,
      port: address.port,
      method,
      path: target,
      signal,
      setHost: false,
      headers: sentHeaders(address, headers),
    });
    request.once('response', (response) =>
      resolve({ status: response.statusCode ?? 0, headers: collect(response.rawHeaders), body: response }),
    );
    request.on('error', (error) =>
      reject(new BrokenConnection(error, { wasUsed: request.reusedSocket, refused: false })),
    );
    // Not what we asked for, and no connection for others.
    request.once('upgrade', (_response, socket) => socket.destroy());
    if (body === undefined) request.end();
    else body.pipe(request);
  });
}

/** The answer's body ends the connection, where it is not another protocol's from then on. */
export function sendUpgrade(
  socket: net.Socket,
  address: Address,
  { method, target, headers, signal }: BackendRequest,
): Promise<BackendResponse | Upgraded> {
  return new Promise((resolve, reject) => {
    const request = http.request({
      createConnection: () => socket,
      method,
      path: target,
      setHost: false,
      headers: sentHeaders(address, headers),
    });
    const abort = (): void => void request.destroy(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', abort));
    request.once('response', (response) =>
      resolve({ status: response.statusCode ?? 0, headers: collect(response.rawHeaders), body: response }),
    );
    request.once('upgrade', (response, connection, head) => {
      // From here on the end of the client is told by its connection, behind what it said.
      signal.removeEventListener('abort', abort);
      connection.on('error', () => undefined);
      if (head.length > 0) connection.unshift(head);
      resolve({ status: 101, headers: collect(response.rawHeaders), connection });
    });
    request.on('error', reject);
    request.end();
  });
}

const sentHeaders = (address: Address, headers: BackendRequest['headers']): http.OutgoingHttpHeaders =>
  ({
    ...Object.fromEntries(headers),
    host: headers.get('host')?.[0] ?? authorityOf(address),
  }) as unknown as http.OutgoingHttpHeaders;

/** Names and values alternately, sorted by name. */
function collect(raw: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    const values = headers.get(name);
    if (values === undefined) headers.set(name, [raw[i + 1]!]);
    else values.push(raw[i + 1]!);
  }
  return headers;
}
