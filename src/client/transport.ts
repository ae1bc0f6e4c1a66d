/**
 * The connections to a webhook, and the server's credentials on them: token files and client certificates are read
 * again when they change.
 */
import type { Socket } from 'node:net';
import { currentSpan, inChildSpan } from '../base/span.ts';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import type { ClientPair, TransportConfig } from './transport-config.ts';
import type { CallObserver } from './call-observer.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  /** The header `Retry-After`. */
  readonly retryAfter: string | undefined;
  /** Undefined where it is longer than was asked for. */
  readonly text: string | undefined;
}

export interface HttpTransport {
  /**
   * Posts JSON and resolves with the whole answer. Rejects when there is none, without what was sent.
   * @param url that of the connection when absent; only its query may be another
   */
  post(body: string | Buffer, signal: AbortSignal, maxAnswerBytes: number, url?: string): Promise<HttpAnswer>;
  /** Ends connections and what is under way on them. */
  destroy(): Promise<void>;
}

const maxConnections = 64;

export function createTransport(connection: TransportConfig, observer?: CallObserver): HttpTransport {
  let agent: Agent | undefined;
  let shown: ClientPair | undefined;
  const closed = new AbortController();
  const host = connection.host ?? new URL(connection.url).host;
  const request = async (body: string | Buffer, signal: AbortSignal, url: string): Promise<Dispatcher.ResponseData> => {
    // Loaded at first use: most servers call no other.
    const { default: undici } = await import('undici');
    const traceparent = currentSpan()?.traceparent;
    const authorization = await connection.authorization();
    const pair = await connection.renewedPair?.();
    // From here to the request nothing waits, so that no other call takes the agent away. New connections show a new
    // certificate; those with the old one end with their requests.
    if (pair !== shown) {
      void agent?.close();
      agent = undefined;
      shown = pair;
    }
    agent ??= new undici.Agent({
      connections: maxConnections,
      connect: connectTo(connection, undici.buildConnector(tlsOptions({ ...connection, ...pair })), closed.signal),
    });
    return undici.request(url, {
      dispatcher: agent,
      method: 'POST',
      body,
      signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, */*',
        ...(authorization === undefined ? {} : { authorization }),
        ...(traceparent === undefined ? {} : { traceparent }),
      },
    });
  };
  const post: HttpTransport['post'] = async (body, signal, maxAnswerBytes, url = connection.url) => {
    const call = observer?.begins(host, Buffer.byteLength(body));
    let bytes: Buffer | undefined;
    try {
      const answer = await request(body, signal, url).catch((error: unknown) => {
        call?.answered(undefined);
        throw error;
      });
      call?.answered(answer.statusCode);
      bytes = await readBytes(answer.body, maxAnswerBytes);
      return {
        status: answer.statusCode,
        contentType: firstOf(answer.headers['content-type']) ?? '',
        retryAfter: firstOf(answer.headers['retry-after']),
        text: bytes?.toString(),
      };
    } finally {
      call?.ended(bytes?.length);
    }
  };
  return {
    post(body, signal, maxAnswerBytes, url) {
      const parent = currentSpan();
      const posting = (): Promise<HttpAnswer> => post(body, signal, maxAnswerBytes, url);
      return parent === undefined ? posting() : inChildSpan(parent, 'HTTP POST', posting, { 'net.peer.name': host });
    },
    async destroy() {
      closed.abort(new Error('the client was closed'));
      await agent?.destroy();
    },
  };
}

const firstOf = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

/** Undefined for more than `maxBytes`; the rest is not read. */
async function readBytes(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tlsOptions = ({
  ca,
  certificate,
  key,
  serverName,
  skipVerify,
}: TransportConfig): buildConnector.BuildOptions => ({
  rejectUnauthorized: !skipVerify,
  ...(ca === undefined ? {} : { ca }),
  ...(serverName === undefined ? {} : { servername: serverName }),
  ...(certificate === undefined ? {} : { cert: certificate }),
  ...(key === undefined ? {} : { key }),
});

/** The URL says who is asked, the address where, the dialer by which way. */
function connectTo(
  { address, dial }: Pick<TransportConfig, 'address' | 'dial'>,
  connect: buildConnector.connector,
  signal: AbortSignal,
): buildConnector.connector {
  if (address === undefined && dial === undefined) return connect;
  const open = async (options: buildConnector.Options, done: buildConnector.Callback): Promise<void> => {
    const { host, port } = (await address?.()) ?? addressIn(options);
    if (dial === undefined) return connect({ ...options, hostname: host, port: String(port) }, done);
    // TLS goes over any stream, and undici asks no more of the one of a plain connection.
    const socket = (await dial({ host, port }, signal)) as Socket;
    if (options.protocol === 'https:') connect({ ...options, httpSocket: socket }, done);
    else done(null, socket);
  };
  return (options, done) => void open(options, done).catch((error: unknown) => done(error as Error, null));
}

const addressIn = ({ hostname, port, protocol }: buildConnector.Options): { host: string; port: number } => ({
  host: hostname.replace(/^\[(.*)\]$/, '$1'),
  port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
});
