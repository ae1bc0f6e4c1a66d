/**
 * What a request meets in a server that stops: it is counted so that the server waits for it, or it is refused.
 * @see {@link https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/ | kube-apiserver:
 *   --shutdown-…}
 */
import { serviceUnavailable } from '../../machinery/status.ts';
import type { Lifecycle } from '../../server/lifecycle.ts';
import type { ApiResponse, Sink } from '../../server/exchange.ts';
import type { ApiRequest, Filter } from '../request/request.ts';

/** Probes and scrapers see a server to its end; a server that talks to itself has to finish. */
const exemptPaths = ['/readyz', '/livez', '/healthz', '/metrics'];
const exemptUserAgent = 'kube-apiserver/';

const isExempt = (request: ApiRequest): boolean =>
  exemptPaths.some((prefix) => request.path.startsWith(prefix)) ||
  (request.header('user-agent') ?? '').startsWith(exemptUserAgent);

const nosniff = { 'x-content-type-options': 'nosniff' };

/**
 * `--shutdown-send-retry-after`: the server listens on until its requests are answered, and answers new requests with
 * 429 and Retry-After. The outermost filter: the answer has no other headers, and is not counted or recorded.
 */
export function sendRetryAfter(lifecycle: Lifecycle): Filter {
  return (request, next) => {
    if (lifecycle.takesRequests || isExempt(request)) return next();
    return Promise.resolve({
      status: 429,
      headers: {
        'audit-id': request.auditId,
        'content-type': 'text/plain; charset=utf-8',
        ...nosniff,
        'retry-after': '5',
        connection: 'close',
      },
      body: 'The apiserver is shutting down, please try again later.\n',
    });
  };
}

/** Counts what is in work until it is answered; refuses what comes over connections that are still open. */
export function countRequests(lifecycle: Lifecycle): Filter {
  return async (request, next) => {
    if (request.isLongRunning) return next();
    // What is exempt is not waited for: a probe comes after the other.
    if (!lifecycle.takesRequests) return isExempt(request) ? next() : unavailable();
    lifecycle.enter();
    let response: ApiResponse | undefined;
    try {
      return (response = await next());
    } finally {
      // What is sent piece by piece, as the client takes it, has only begun.
      if (response !== undefined && ('chunks' in response || 'stream' in response))
        request.exchange.onClose(() => lifecycle.leave());
      else lifecycle.leave();
    }
  };
}

/**
 * `--shutdown-watch-termination-grace-period`: watches end one after the other, each as if its time were over.
 *
 * @NOTE differs from upstream: there a watch that waits for its end is silent.
 */
export function followWatches(lifecycle: Lifecycle): Filter {
  return async (request, next) => {
    if (request.info.verb !== 'watch') return next();
    if (!lifecycle.takesRequests) return unavailable();
    let isOver = false;
    let close: () => void = () => undefined;
    const remove = lifecycle.addWatch(() => {
      isOver = true;
      close();
    });
    request.exchange.onClose(remove);
    const response = await next().catch((error: unknown) => {
      remove();
      throw error;
    });
    if (!('stream' in response)) {
      remove();
      return response;
    }
    return {
      ...response,
      stream: (sink) =>
        response.stream(
          closable(
            sink,
            () => isOver,
            (listener) => (close = listener),
          ),
        ),
    };
  };
}

/** The same sink, which can also be closed from here; what is written goes out to its end all the same. */
function closable(sink: Sink, isOver: () => boolean, onOver: (listener: () => void) => void): Sink {
  return {
    write: (chunk) => sink.write(chunk),
    drained: () => sink.drained(),
    get closed() {
      return isOver() || sink.closed;
    },
    onClose(listener) {
      sink.onClose(listener);
      onOver(listener);
      if (isOver()) listener();
    },
    abort: () => sink.abort(),
  };
}

/** Upstream writes its answer from here itself: JSON whatever the client asked for, and a line more. */
function unavailable(): ApiResponse {
  const { status, message, reason, code } = serviceUnavailable('apiserver is shutting down').toStatus();
  const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status, message, reason, code });
  return {
    status: 503,
    headers: { 'content-type': 'application/json', ...nosniff, 'retry-after': '1' },
    body: `${body}\n\n`,
  };
}
