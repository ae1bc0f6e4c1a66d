/**
 * Malformed and unsupported HTTP/1.1 requests: the answer is a line of text, and the connection ends, because it is
 * unknown where the next request would begin. No filter sees them. Statuses and texts are upstream's.
 *
 * @NOTE differs from upstream: what Node's parser refuses is refused here too, whatever upstream would make of it:
 *   unknown methods,
 * bytes beyond ASCII in the target, folded headers, lines without CR, a length beside chunks or twice, and versions
 * like 1.2.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { breakBody } from './broken-bodies.ts';
import type { ParserFeed } from './parser-feed.ts';
import type { Pipelining } from './pipelining.ts';

export interface ErrorResponse {
  /** Code and reason, as in the first line. */
  readonly status: string;
  /** The status when absent. */
  readonly text?: string;
}

const badRequest = (why = ''): ErrorResponse => ({ status: `400 Bad Request${why}` });
const unsupportedVersion = badRequest(': unsupported protocol version');
const unsupportedEncoding: ErrorResponse = { status: '501 Not Implemented', text: 'Unsupported transfer encoding' };

/** How long a client may go on sending data that is not read: closing the connection at once would lose the answer. */
const lingerMs = 5000;

export class ProtocolErrors {
  readonly #pipelining: Pipelining;
  readonly #feeds: WeakMap<Socket, ParserFeed>;
  /** Whose rest is of no interest. */
  readonly #refused = new WeakSet<Socket>();

  constructor(server: Server, pipelining: Pipelining, feeds: WeakMap<Socket, ParserFeed>) {
    this.#pipelining = pipelining;
    this.#feeds = feeds;
    server.on('clientError', (error: NodeJS.ErrnoException & { reason?: string }, socket) =>
      this.#failed(error, socket as Socket),
    );
  }

  /** Call for each request as it begins. True when it was refused, which is all that happens to it. */
  refuses(message: IncomingMessage): boolean {
    const { socket } = message;
    if (this.#refused.has(socket)) return true;
    const refusal = refusalOf(message);
    if (refusal === undefined) return false;
    // The answer to HEAD has no body (RFC 9110 section 9.3.2): a client would take it for the beginning of another
    // answer.
    this.#refuse(socket, message.method === 'HEAD' ? { ...refusal, text: '' } : refusal);
    return true;
  }

  #failed(error: NodeJS.ErrnoException & { reason?: string }, socket: Socket): void {
    if (this.#refused.has(socket)) return;
    const refusal = parserRefusal(error);
    const open = this.#feeds.get(socket)?.open;
    if (refusal === undefined) socket.destroy();
    // The request that it belongs to may be one that can be answered without its body. Nothing comes behind it any
    // more.
    else if (open !== undefined) {
      this.#feeds.get(socket)?.drop();
      breakBody(open, error);
    } else this.#refuse(socket, refusal);
  }

  /** After the answers to what came before. */
  #refuse(socket: Socket, { status, text = status }: ErrorResponse): void {
    this.#refused.add(socket);
    this.#feeds.get(socket)?.drop();
    if (socket.listenerCount('error') === 0) socket.on('error', () => undefined);
    this.#pipelining.after(socket, () => {
      socket.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${text}`);
      socket.resume();
      const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
      socket.once('close', () => clearTimeout(timer));
    });
  }
}

/** What the parser takes, and this server does not. */
function refusalOf({
  method,
  url = '',
  httpVersion,
  httpVersionMajor,
  headers,
  rawHeaders,
}: IncomingMessage): ErrorResponse | undefined {
  if (httpVersionMajor !== 1) return unsupportedVersion;
  const hosts = rawHeaders.filter((_, i) => i % 2 === 1 && isHost(rawHeaders[i - 1]!));
  if (hosts.length > 1) return badRequest(': too many Host headers');
  if (hosts.length === 0 && httpVersion === '1.1' && method !== 'CONNECT')
    return badRequest(': missing required Host header');
  if (hosts[0] !== undefined && !hostPattern.test(hosts[0])) return badRequest(': malformed Host header');
  // The last one would say where the body ends (RFC 9112 section 6.1), but the others are not supported here.
  if (headers['transfer-encoding'] !== undefined && headers['transfer-encoding'].toLowerCase() !== 'chunked')
    return unsupportedEncoding;
  return method === 'CONNECT' || isTarget(url) ? undefined : badRequest();
}

const isHost = (name: string): boolean => name.length === 4 && name.toLowerCase() === 'host';

/**
 * Of a host and a port nothing more is asked here than that it is made of their characters (RFC 3986 section 3.2.2).
 */
const hostPattern = /^[A-Za-z0-9\-._~!$&'()*+,;=:[\]%]*$/;

const isTarget = (url: string): boolean =>
  !brokenEscape.test(url.split('?', 1)[0]!) && (url.startsWith('/') || url === '*' || URL.canParse(url));

const brokenEscape = /%(?![0-9a-f]{2})/i;

/** Undefined for a client that went away, or took too long: it gets no answer. */
function parserRefusal({
  code = '',
  reason = '',
}: NodeJS.ErrnoException & { reason?: string }): ErrorResponse | undefined {
  if (!code.startsWith('HPE_') || code === 'HPE_INVALID_EOF_STATE') return undefined;
  if (code === 'HPE_HEADER_OVERFLOW') return { status: '431 Request Header Fields Too Large' };
  if (code === 'HPE_INVALID_TRANSFER_ENCODING') return unsupportedEncoding;
  if (code === 'HPE_INVALID_HEADER_TOKEN')
    return badRequest(reason.includes('value') ? ': invalid header value' : ': invalid header name');
  return badRequest();
}
