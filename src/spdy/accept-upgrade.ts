/**
 * The server's side of the agreement on SPDY/3.1 and on what its streams are for, which is a protocol of its own
 * (`X-Stream-Protocol-Version`).
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/#spdy | Streaming over SPDY}
 */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { SpdyConnection, type SpdyConnectionOptions } from './connection.ts';

export interface AcceptOptions extends Pick<SpdyConnectionOptions, 'maxStreams'> {
  /** What streams may be for, best first. The client's order decides. */
  readonly protocols: readonly string[];
  /**
   * Of a client that names none: old ones of exec and attach mean the first version, which has no name. Such a client
   * is refused where this is absent.
   */
  readonly unnamed?: string;
}

export interface AcceptedUpgrade {
  readonly connection: SpdyConnection;
  /** One of `protocols`, or `unnamed`. */
  readonly protocol: string;
}

export const protocolHeader = 'x-stream-protocol-version';
const acceptedHeader = 'X-Accepted-Stream-Protocol-Versions';

/**
 * For the event `upgrade` of Node's HTTP server. Undefined where the client was refused: it has its answer then, and
 * the connection ends.
 *
 * @param head what came behind the request
 */
export function acceptUpgrade(
  { headers, headersDistinct }: Pick<IncomingMessage, 'headers' | 'headersDistinct'>,
  socket: Duplex,
  head: Buffer,
  { protocols, unnamed, maxStreams }: AcceptOptions,
): AcceptedUpgrade | undefined {
  const wishes = (headers.upgrade ?? '').split(',').map((wish) => wish.trim().toLowerCase());
  if (!wishes.includes('spdy/3.1')) return refuse(socket, 400, 'unable to upgrade: missing upgrade headers in request');
  const wanted = namesIn(headersDistinct[protocolHeader] ?? []);
  const protocol = wanted.length === 0 ? unnamed : wanted.find((name) => protocols.includes(name));
  if (protocol === undefined) {
    const text =
      wanted.length === 0
        ? 'unable to upgrade: X-Stream-Protocol-Version is required'
        : `unable to upgrade: unable to negotiate protocol: client supports [${wanted.join(' ')}], ` +
          `server accepts [${protocols.join(' ')}]`;
    return refuse(socket, wanted.length === 0 ? 400 : 403, text, protocols);
  }
  const chosen = wanted.length === 0 ? '' : `X-Stream-Protocol-Version: ${protocol}\r\n`;
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n${chosen}\r\n`);
  const connection = new SpdyConnection(socket, {
    side: 'server',
    head,
    ...(maxStreams === undefined ? {} : { maxStreams }),
  });
  return { connection, protocol };
}

/** Several headers, or one with commas. */
const namesIn = (values: readonly string[]): string[] =>
  values
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');

function refuse(socket: Duplex, status: number, text: string, accepted: readonly string[] = []): undefined {
  const body = `${text}\n`;
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...accepted.map((name) => `${acceptedHeader}: ${name}`),
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  return undefined;
}
