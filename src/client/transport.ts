/**
 * The connections to a webhook, and the server's credentials on them: token files and client certificates are read
 * again when they change.
 */
import type { Socket } from 'node:net';
import { abortable } from '../base/abortable.ts';
import { currentSpan, inNewSpan, type Span } from '../base/span.ts';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import type { ClientPair, TransportConfig } from './transport-config.ts';
import type { CallObserver } from './call-observer.ts';
import { timedLookup } from './timed-lookup.ts';
import { checkServerIdentity } from '../pki/server-identity.ts';
import { impersonationHeaders } from './requests/headers.ts';

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
  observer?.opened?.();
  if (observer?.plugins !== undefined) connection.observePlugin?.(observer.plugins);
  const impersonation = impersonationOf(connection);
  const request = async (body: string | Buffer, signal: AbortSignal, url: string): Promise<Dispatcher.ResponseData> => {
    // Loaded at first use: most servers call no other.
    const { default: undici } = await import('undici');
    const traceparent = currentSpan()?.traceparent;
    // A program that prints them may hang.
    const authorization = await abortable(connection.authorization(), signal);
    const pair = connection.renewedPair && (await abortable(connection.renewedPair(), signal));
    // From here to the request nothing waits, so that no other call takes the agent away. New connections show a new
    // certificate; those with the old one end with their requests.
    if (pair !== shown) {
      void agent?.close();
      agent = undefined;
      shown = pair;
    }
    agent ??= new undici.Agent({
      connections: maxConnections,
      connect: connectTo(
        connection,
        undici.buildConnector({ ...tlsOptions({ ...connection, ...pair }), lookup: timedLookup(observer) }),
        closed.signal,
      ),
    });
    const answer = await undici.request(url, {
      dispatcher: agent,
      method: 'POST',
      body,
      signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, */*',
        ...(authorization === undefined ? {} : { authorization }),
        ...impersonation,
        ...(traceparent === undefined ? {} : { traceparent }),
      },
    });
    // The next call is shown the new ones.
    if (answer.statusCode === 401) void connection.onUnauthorized?.(authorization).catch(() => undefined);
    return answer;
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
      currentSpan()?.set({ 'http.status_code': answer.statusCode });
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
      return parent === undefined ? posting() : inNewSpan(callSpan(parent, url ?? connection.url, body), posting);
    },
    async destroy() {
      if (!closed.signal.aborted) observer?.closed?.();
      closed.abort(new Error('the client was closed'));
      await agent?.destroy();
    },
  };
}

/** A group or an extra value has a header of its own. */
function impersonationOf({ impersonate }: TransportConfig): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const [name, value] of impersonate === undefined ? [] : impersonationHeaders(impersonate))
    (headers[name] ??= []).push(value);
  return headers;
}

/** Under the names that clients of HTTP have in OpenTelemetry. */
function callSpan(parent: Span, url: string, body: string | Buffer): Span {
  const { hostname, origin, pathname, port, search } = new URL(url);
  return parent.call('HTTP POST', {
    'http.method': 'POST',
    'http.url': `${origin}${pathname}${search}`,
    'http.request_content_length': Buffer.byteLength(body),
    'net.peer.name': hostname,
    ...(port === '' ? {} : { 'net.peer.port': Number(port) }),
  });
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
  checkServerIdentity,
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
