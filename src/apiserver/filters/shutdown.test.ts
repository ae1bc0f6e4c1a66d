/**
 * What requests meet while a server stops, which a client over the network sees only when it comes at the right moment.
 */
import { describe, expect, test } from 'vitest';
import { Lifecycle } from '../../server/lifecycle.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { type ApiResponse, type Exchange, type Sink } from '../../server/exchange.ts';
import type { Next } from '../../server/middleware.ts';
import { ApiRequest } from '../request/request.ts';
import { countRequests, followWatches, sendRetryAfter } from './shutdown.ts';

/** A request and what ends its exchange. */
function request(path: string, userAgent = 'kubectl/v1.32.0'): { request: ApiRequest; close(): void } {
  const closed: (() => void)[] = [];
  const exchange = {
    method: 'GET',
    target: path,
    header: (name: string) => (name === 'user-agent' ? userAgent : undefined),
    onClose: (listener: () => void) => closed.push(listener),
  } as unknown as Exchange;
  const [plain = '', query = ''] = path.split('?');
  const made = new ApiRequest(exchange, plain, new URLSearchParams(query), 'audit-1', 0);
  made.info = parseRequestInfo('GET', plain, made.query);
  return { request: made, close: () => closed.forEach((listener) => listener()) };
}

const pods = '/api/v1/namespaces/default/pods';
const watch = `${pods}?watch=true`;
const ok: ApiResponse = { status: 200, headers: {}, body: 'ok' };
const answer =
  (response: ApiResponse): Next =>
  () =>
    Promise.resolve(response);

const refused = (): Lifecycle => {
  const lifecycle = new Lifecycle();
  lifecycle.refuse();
  return lifecycle;
};

const unavailable: ApiResponse = {
  status: 503,
  headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff', 'retry-after': '1' },
  body:
    '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"apiserver is shutting ' +
    'down","reason":"ServiceUnavailable","code":503}\n\n',
};

const exempt = [
  ...['/readyz', '/readyz/etcd?verbose', '/livez', '/healthz', '/metrics'].map((path) => ({
    path,
    userAgent: 'curl/8',
  })),
  { path: pods, userAgent: 'kube-apiserver/v1.32.0 (linux/amd64)' },
];

describe('--shutdown-send-retry-after', () => {
  test('--shutdown-send-retry-after lets everything through until nothing new is begun', async () => {
    const lifecycle = new Lifecycle();
    lifecycle.stop();
    expect(await sendRetryAfter(lifecycle)(request(pods).request, answer(ok))).toBe(ok);
  });

  test.each([pods, watch, '/version', '/api'])('Then asks %s to come again, elsewhere', async (path) => {
    expect(await sendRetryAfter(refused())(request(path).request, answer(ok))).toEqual({
      status: 429,
      headers: {
        'audit-id': 'audit-1',
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'retry-after': '5',
        connection: 'close',
      },
      body: 'The apiserver is shutting down, please try again later.\n',
    });
  });

  test.each(exempt)(
    '--shutdown-send-retry-after does not apply to $path of $userAgent',
    async ({ path, userAgent }) => {
      expect(await sendRetryAfter(refused())(request(path, userAgent).request, answer(ok))).toBe(ok);
    },
  );
});

describe('a request over a connection that is still open', () => {
  test('A request over a connection that is still open is refused with 503 and a second to wait', async () => {
    expect(await countRequests(refused())(request(pods).request, answer(ok))).toEqual(unavailable);
  });

  test.each(exempt)(
    'A request to $path of $userAgent is answered during shutdown, and shutdown does not wait for it',
    async ({ path, userAgent }) => {
      const lifecycle = refused();
      expect(
        await countRequests(lifecycle)(request(path, userAgent).request, () =>
          Promise.resolve({ ...ok, body: String(lifecycle.requests) }),
        ),
      ).toEqual({ ...ok, body: '0' });
    },
  );

  test('A watch over an open connection is let through without a grace period, refused with one', async () => {
    expect(await countRequests(refused())(request(watch).request, answer(ok))).toBe(ok);
    expect(await followWatches(refused())(request(watch).request, answer(ok))).toEqual(unavailable);
    expect(await followWatches(refused())(request(pods).request, answer(ok))).toBe(ok);
  });
});

describe('what is counted as in work', () => {
  test('A request until it is answered, or has failed', async () => {
    const lifecycle = new Lifecycle();
    const filter = countRequests(lifecycle);
    const seen = await filter(request(pods).request, () =>
      Promise.resolve({ ...ok, body: String(lifecycle.requests) }),
    );
    expect([seen, lifecycle.requests]).toEqual([{ ...ok, body: '1' }, 0]);
    await expect(filter(request(pods).request, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(lifecycle.requests).toBe(0);
  });

  test('An answer that goes out piece by piece until the client has it', async () => {
    const lifecycle = new Lifecycle();
    const { request: list, close } = request(pods);
    await countRequests(lifecycle)(list, answer({ status: 200, headers: {}, chunks: [] }));
    expect(lifecycle.requests).toBe(1);
    close();
    expect(lifecycle.requests).toBe(0);
  });

  test('A watch does not count as a request in work', async () => {
    const lifecycle = new Lifecycle();
    await countRequests(lifecycle)(request(watch).request, () =>
      Promise.resolve({ ...ok, body: String(lifecycle.requests) }),
    ).then((response) => expect(response).toMatchObject({ body: '0' }));
  });
});

describe('a watch', () => {
  const sink = {
    write: () => true,
    drained: () => Promise.resolve(),
    closed: false,
    onClose: () => undefined,
    abort: () => undefined,
  } satisfies Sink;
  /** A stream that goes on until its sink says that it is closed. */
  const stream = async (seen: Sink): Promise<void> => {
    await new Promise<void>((resolve) => seen.onClose(resolve));
    if (!seen.closed) throw new Error('told too early');
  };

  test('A watch ends like one whose client has gone, though the connection stands', async () => {
    const lifecycle = new Lifecycle();
    const { request: made, close } = request(watch);
    const response = await followWatches(lifecycle)(made, answer({ status: 200, headers: {}, stream }));
    if (!('stream' in response)) throw new Error('no stream');
    const ended = response.stream(sink);
    const over = lifecycle.endWatches(60_000, {
      now: () => 0,
      after: (_, callback) => (setImmediate(callback), { cancel: () => undefined }),
    });
    await ended;
    expect(lifecycle.watches).toBe(1);
    close();
    await over;
    expect(lifecycle.watches).toBe(0);
  });

  test('A watch that is told to end before its stream has begun ends at once', async () => {
    const lifecycle = new Lifecycle();
    const { request: made, close } = request(watch);
    const response = await followWatches(lifecycle)(made, answer({ status: 200, headers: {}, stream }));
    const over = lifecycle.endWatches(60_000, {
      now: () => 0,
      after: (_, callback) => (setImmediate(callback), { cancel: () => undefined }),
    });
    if ('stream' in response) await response.stream(sink);
    close();
    await over;
  });

  test('A watch that was refused is not waited for', async () => {
    const lifecycle = new Lifecycle();
    await followWatches(lifecycle)(request(watch).request, answer({ ...ok, status: 403 }));
    await expect(
      followWatches(lifecycle)(request(watch).request, () => Promise.reject(new Error('no'))),
    ).rejects.toThrow('no');
    expect(lifecycle.watches).toBe(0);
  });
});
