/**
 * Requests for group versions of other servers go there: after everything that is asked of a request here, and with the
 * name of the caller in place of its credentials. Answers come back as they are, piece by piece.
 */
import type { Duplex } from 'node:stream';
import { timeLimit } from '../../base/time-limit.ts';
import { apiVersionOf } from '../../api/resources.ts';
import { copyStream } from '../../server/copy-stream.ts';
import { notFoundPage } from '../../server/not-found-page.ts';
import { escapedPath } from '../request/escaped-path.ts';
import type { ApiResponse, Sink } from '../../server/exchange.ts';
import type { ApiRequest, Filter } from '../request/request.ts';
import type { ServedApis } from '../served-apis.ts';
import type { ApiServices } from './api-services.ts';
import type { BackendResponse } from './backend-session.ts';
import type { BackendCall, Backends } from './backends.ts';
import { connectionErrorText } from '../webhooks/connection-errors.ts';
import { answerHeaders, forwardedHeaders, type ForwardingOptions } from './forwarded-headers.ts';
import type { RemoteApi } from './remote-api.ts';
import { type Address, authorityOf, type ServiceResolver } from '../webhooks/service-resolver.ts';

export interface ProxyOptions {
  readonly backends: Backends;
  readonly resolve: ServiceResolver;
  readonly forwarding: ForwardingOptions;
  /** `--aggregator-reject-forwarding-redirect` */
  readonly rejectRedirects: boolean;
  readonly requestTimeoutMs: number;
  /** Told of a request that got no further than here. */
  readonly onRefusal: (request: ApiRequest, code: number) => void;
  /** Told of an answer that broke off on the way. */
  readonly onAbort: (request: ApiRequest) => void;
  readonly log: { warn(details: object, message: string): void };
}

/** Sends a request to the server of an API. */
export type Proxy = (request: ApiRequest, api: RemoteApi) => Promise<ApiResponse>;

/** Clients ask every group what it has: one that does not answer must not hold them up. */
const discoveryTimeoutMs = 5000;

/** The last step of the chain before what this server answers itself. */
export function aggregationProxy(
  services: ApiServices,
  apis: Pick<ServedApis, 'isBuiltIn' | 'known'>,
  proxy: Proxy,
): Filter {
  return (request, next) => {
    if (services.isKnown && !services.hasRemotes) return next();
    const apiVersion = groupVersionOf(request);
    if (apiVersion === undefined) return next();
    const api = services.remote(apiVersion);
    if (api !== undefined) return proxy(request, api);
    if (services.isKnown || apis.isBuiltIn(apiVersion)) return next();
    // A server that has just started may not have read the APIServices yet.
    return apis.known().then(() => {
      const late = services.remote(apiVersion);
      return late === undefined ? next() : proxy(request, late);
    });
  };
}

/** What is asked for, as far as it can be another server's: everything below `/apis/<group>/<version>`. */
function groupVersionOf({ path, info }: ApiRequest): string | undefined {
  if (info.isResourceRequest)
    return info.group !== '' && path.startsWith(`/apis/${info.group}/`)
      ? apiVersionOf(info.group, info.version)
      : undefined;
  return groupVersionPath.exec(path)?.[1];
}

const groupVersionPath = /^\/apis\/([^/]+\/[^/]+)\/?$/;

const text = (status: number, message: string): ApiResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: `${message}\n`,
});

export function createProxy(options: ProxyOptions): Proxy {
  const { resolve, onRefusal, log } = options;
  const refuse = (request: ApiRequest, code: number, message: string): ApiResponse => {
    onRefusal(request, code);
    return text(code, message);
  };
  const unavailable = (request: ApiRequest): ApiResponse => refuse(request, 503, 'service unavailable');
  return async (request, api) => {
    request.isPassedOn = true;
    if (!api.isAvailable) return unavailable(request);
    if (leadsAstray(request.path)) return notFoundPage;
    if (api.ca !== undefined && !api.ca.includes('-----BEGIN CERTIFICATE-----'))
      return refuse(request, 500, 'unable to load root certificates: unable to parse bytes as PEM block');
    let address: Address;
    try {
      address = await resolve(api.service);
    } catch (error) {
      log.warn({ err: error, apiService: api.name }, 'the service of an API has no address');
      return unavailable(request);
    }
    request.handOver();
    return isUpgrade(request) ? upgrade(request, api, address, options) : send(request, api, address, options);
  };
}

/** The wish of a request with a body is ignored, as a server may (RFC 9110 section 7.8). */
const isUpgrade = ({ exchange }: ApiRequest): boolean =>
  exchange.canChangeProtocol === true && exchange.header('upgrade') !== undefined;

/**
 * Whether others may read the path differently from how it was judged here.
 *
 * @NOTE differs from upstream, which passes on such paths as well.
 */
const leadsAstray = (path: string): boolean =>
  path
    .split('/')
    .slice(1)
    .some((segment, i, all) => segment === '.' || segment === '..' || (segment === '' && i < all.length - 1));

async function send(
  request: ApiRequest,
  api: RemoteApi,
  address: Address,
  { backends, forwarding, rejectRedirects, requestTimeoutMs, onAbort }: ProxyOptions,
): Promise<ApiResponse> {
  const body = request.exchange.bodyStream();
  const signal = isDiscovery(request)
    ? AbortSignal.any([request.signal, timeLimit(discoveryTimeoutMs)])
    : request.signal;
  try {
    const answer = await backends.send(api, address, {
      ...forwarded(request, address, forwarding),
      ...(body === undefined ? {} : { body }),
      signal,
    });
    const location = answer.headers.get('location')?.[0] ?? '';
    if (rejectRedirects && answer.status >= 300 && answer.status <= 399 && location !== '') {
      answer.body.destroy();
      return {
        status: 502,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: 'the backend attempted to redirect this request, which is not permitted',
      };
    }
    const headers = answerHeaders(answer.headers);
    if (location.startsWith('/') && !location.startsWith('//'))
      headers['location'] = `https://${authorityOf(address)}${location}`;
    return {
      status: answer.status,
      headers,
      stream: (sink) =>
        relay(
          answer,
          telling(sink, () => onAbort(request)),
          deadlineOf(request, requestTimeoutMs),
        ),
    };
  } catch (error) {
    return text(503, `error trying to reach service: ${connectionErrorText(error, address)}`);
  }
}

/**
 * Hands the client's connection and one of our own to each other when the other side agrees to another protocol. What
 * it says instead is an answer like any other if it is an error.
 */
async function upgrade(
  request: ApiRequest,
  api: RemoteApi,
  address: Address,
  { backends, forwarding, requestTimeoutMs, onAbort }: ProxyOptions,
): Promise<ApiResponse> {
  const { exchange, signal } = request;
  const call = forwarded(request, address, forwarding);
  const wish = new Map([...call.headers, ['connection', ['Upgrade']], ['upgrade', exchange.headerValues('upgrade')]]);
  try {
    const answer = await backends.upgrade(api, address, { ...call, headers: wish, signal });
    const headers = answerHeaders(answer.headers);
    if ('body' in answer) {
      if (answer.status >= 400)
        return {
          status: answer.status,
          headers,
          stream: (sink) =>
            relay(
              answer,
              telling(sink, () => onAbort(request)),
              deadlineOf(request, requestTimeoutMs),
            ),
        };
      answer.body.destroy();
      return text(503, `invalid upgrade response: status code ${answer.status}`);
    }
    const { connection } = answer;
    return {
      status: 101,
      headers: { ...headers, connection: 'Upgrade', upgrade: answer.headers.get('upgrade') ?? [] },
      input: connection,
      stream: (sink) => relayUpgraded(connection, sink),
    };
  } catch (error) {
    return text(503, `error dialing backend: ${connectionErrorText(error, address)}`);
  }
}

const deadlineOf = ({ isLongRunning, receivedAt }: ApiRequest, requestTimeoutMs: number): number | undefined =>
  isLongRunning ? undefined : receivedAt + requestTimeoutMs;

/** A request as it goes to the server behind, but for its body. */
function forwarded(request: ApiRequest, address: Address, forwarding: ForwardingOptions): Omit<BackendCall, 'signal'> {
  const { exchange, auditId, user, method } = request;
  const path = escapedPath(request.path);
  const query = request.query.toString();
  return {
    method,
    target: query === '' ? path : `${path}?${query}`,
    headers: forwardedHeaders({ exchange, auditId, user, path, authority: authorityOf(address) }, forwarding),
  };
}

const isDiscovery = ({ info, path }: ApiRequest): boolean => !info.isResourceRequest && groupVersionPath.test(path);

/** The same sink; tells when it is aborted. */
const telling = (sink: Sink, tell: () => void): Sink => ({
  write: (chunk) => sink.write(chunk),
  drained: () => sink.drained(),
  get closed() {
    return sink.closed;
  },
  onClose: (listener) => sink.onClose(listener),
  abort: () => {
    tell();
    sink.abort();
  },
});

/**
 * Hands on each piece when it comes and the client takes it. A body that ends early ends early for the client too.
 *
 * @NOTE differs from upstream: links in HTML are left as they are.
 */
async function relay({ body }: BackendResponse, sink: Sink, deadline: number | undefined): Promise<void> {
  const stop = (): void => void body.destroy();
  const timer = deadline === undefined ? undefined : setTimeout(stop, Math.max(0, deadline - performance.now()));
  try {
    await copyStream(body, sink, stop);
  } finally {
    clearTimeout(timer);
  }
}

/** Until one side ends: what it has said is still handed on. */
const relayUpgraded = (connection: Duplex, sink: Sink): Promise<void> =>
  copyStream(connection, sink, () => void connection.end(() => connection.destroy()));
