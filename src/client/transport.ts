/**
 * The connections to a webhook, and the server's credentials on them: token files and client certificates are read
 * again when they change.
 */
import type { Socket } from 'node:net';
import { currentSpan, inNewSpan, type Span } from '../base/span.ts';
import type undiciModule from 'undici';
import type { buildConnector, Pool } from 'undici';
import { CallEnd, type CallLimits } from './call-end.ts';
import { exchange, type ExchangeOptions, type WholeAnswer } from './http-exchange.ts';
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

export interface PostOptions extends CallLimits {
  /** Of longer answers there is no text. */
  readonly maxAnswerBytes: number;
  /** In place of that in the URL of the connection. */
  readonly query?: string | undefined;
}

export interface HttpTransport {
  /** Posts JSON and resolves with the whole answer. Rejects when there is none, without what was sent. */
  post(body: string | Buffer, options: PostOptions): Promise<HttpAnswer>;
  /** Ends connections, and what is under way on them with this reason. */
  destroy(reason?: Error): Promise<void>;
}

const maxConnections = 64;

type Undici = typeof undiciModule;

export function createTransport(connection: TransportConfig, observer?: CallObserver): HttpTransport {
  let undici: Undici | undefined;
  let pool: Pool | undefined;
  let shown: ClientPair | undefined;
  const closed = new AbortController();
  const underWay = new Set<CallEnd>();
  const url = new URL(connection.url);
  const { origin } = url;
  const pathWith = (query: string | undefined): string =>
    `${url.pathname}${query === undefined ? url.search : `?${query}`}`;
  const host = connection.host ?? url.host;
  observer?.opened?.();
  if (observer?.plugins !== undefined) connection.observePlugin?.(observer.plugins);
  const usualHeaders = [
    ['content-type', 'application/json'],
    ['accept', 'application/json, */*'],
    ...(connection.impersonate === undefined ? [] : impersonationHeaders(connection.impersonate)),
  ].flat();
  const poolOf = ({ Pool: Connections, buildConnector }: Undici, pair: ClientPair | undefined): Pool => {
    // New connections show a new certificate; those with the old one end with their requests.
    if (pair !== shown) {
      void pool?.close();
      pool = undefined;
      shown = pair;
    }
    return (pool ??= new Connections(origin, {
      connections: maxConnections,
      connect: connectTo(
        connection,
        buildConnector({ ...tlsOptions({ ...connection, ...pair }), lookup: timedLookup(observer) }),
        closed.signal,
      ),
    }));
  };
  const send = async (
    body: string | Buffer,
    { maxAnswerBytes, query }: PostOptions,
    { end, onAnswer }: Pick<ExchangeOptions, 'end' | 'onAnswer'>,
  ): Promise<WholeAnswer> => {
    // Loaded at first use: most servers call no other.
    undici ??= (await import('undici')).default;
    const traceparent = currentSpan()?.traceparent;
    // A program that prints them may hang.
    const authorization = await end.before(connection.authorization());
    const pair = connection.renewedPair && (await end.before(connection.renewedPair()));
    const headers = [...usualHeaders];
    if (authorization !== undefined) headers.push('authorization', authorization);
    if (traceparent !== undefined) headers.push('traceparent', traceparent);
    // From here to the request nothing waits, so that no other call takes the connections away.
    const request = { origin, path: pathWith(query), method: 'POST', headers, body } as const;
    const answer = await exchange(poolOf(undici, pair), { request, end, maxAnswerBytes, onAnswer });
    // The next call is shown the new ones.
    if (answer.status === 401) void connection.onUnauthorized?.(authorization).catch(() => undefined);
    return answer;
  };
  const post: HttpTransport['post'] = async (body, options) => {
    const call = observer?.begins(host, Buffer.byteLength(body));
    const end = new CallEnd(options);
    let isAnswered = false;
    const onAnswer = (status: number): void => {
      isAnswered = true;
      call?.answered(status);
    };
    let answer: WholeAnswer | undefined;
    underWay.add(end);
    try {
      answer = await send(body, options, { end, onAnswer });
      currentSpan()?.set({ 'http.status_code': answer.status });
      const { status, headers } = answer;
      return {
        status,
        contentType: firstOf(headers['content-type']) ?? '',
        retryAfter: firstOf(headers['retry-after']),
        text: answer.body?.toString(),
      };
    } finally {
      underWay.delete(end);
      end.release();
      if (!isAnswered) call?.answered(undefined);
      call?.ended(answer?.body?.length);
    }
  };
  return {
    post(body, options) {
      const parent = currentSpan();
      if (parent === undefined) return post(body, options);
      const span = callSpan(parent, url, { path: pathWith(options.query), body });
      return inNewSpan(span, () => post(body, options));
    },
    async destroy(reason = new Error('the client was closed')) {
      if (!closed.signal.aborted) observer?.closed?.();
      closed.abort(reason);
      for (const end of underWay) end.end(reason);
      await pool?.destroy();
    },
  };
}

/** Under the names that clients of HTTP have in OpenTelemetry. */
function callSpan(
  parent: Span,
  { hostname, origin, port }: URL,
  { path, body }: { readonly path: string; readonly body: string | Buffer },
): Span {
  return parent.call('HTTP POST', {
    'http.method': 'POST',
    'http.url': `${origin}${path}`,
    'http.request_content_length': Buffer.byteLength(body),
    'net.peer.name': hostname,
    ...(port === '' ? {} : { 'net.peer.port': Number(port) }),
  });
}

const firstOf = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

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
