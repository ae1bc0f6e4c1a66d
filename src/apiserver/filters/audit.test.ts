import { describe, expect, test } from 'vitest';
import type { Event } from '../../api/gen/types/audit-v1.ts';
import { unauthorized, StatusError } from '../../machinery/status.ts';
import type { UserInfo } from '../../machinery/user.ts';
import { eventHead } from '../audit/event.ts';
import { createAuditPolicy } from '../audit/policy.ts';
import { AuditTrail } from '../audit/trail.ts';
import { compose } from '../../server/middleware.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { type ApiResponse, type Exchange } from '../../server/exchange.ts';
import { ApiRequest, type Handler } from '../request/request.ts';
import { recordRefused, recordRequests } from './audit.ts';
import { limitTime } from './request-timeout.ts';

const jane: UserInfo = { name: 'jane', groups: ['devs'] };
const ok: ApiResponse = { status: 200, headers: {} };

class TestExchange implements Exchange {
  readonly method = 'GET';
  readonly httpVersion = '2.0';
  readonly remoteAddress = '::ffff:192.0.2.1';
  readonly target: string;
  close: () => void = () => undefined;

  constructor(target: string) {
    this.target = target;
  }

  header = (): undefined => undefined;
  headerValues = (): string[] => [];
  headerNames = (): string[] => [];
  readBody = (): Promise<Buffer> => Promise.resolve(Buffer.alloc(0));
  bodyStream = (): undefined => undefined;
  peerCertificate = (): undefined => undefined;
  onClose(listener: () => void): void {
    this.close = listener;
  }
}

function setUp(stored: (event: Event) => boolean = () => true) {
  const events: Event[] = [];
  const counts = { rejected: 0 };
  const trail = new AuditTrail({
    policy: createAuditPolicy({
      metadata: {},
      rules: [{ level: 'None', users: ['nobody'] }, { level: 'RequestResponse' }],
    }),
    counters: { event: () => undefined, level: () => undefined, rejected: () => void counts.rejected++ },
    backends: [
      {
        add: (event) => {
          events.push(JSON.parse(event.text(eventHead('audit.k8s.io/v1'), '')) as Event);
          return stored(events.at(-1)!);
        },
        close: () => Promise.resolve(),
      },
    ],
  });
  return { events, counts, trail };
}

function requestOf(target: string): { request: ApiRequest; exchange: TestExchange } {
  const exchange = new TestExchange(target);
  const url = new URL(target, 'https://host');
  const request = new ApiRequest(exchange, url.pathname, url.searchParams, 'id', performance.now());
  request.info = parseRequestInfo('GET', url.pathname, url.searchParams);
  return { request, exchange };
}

/** The chain of a server, with what the steps behind audit do. */
const serve = (
  trail: AuditTrail,
  request: ApiRequest,
  endpoint: Handler,
  { user = jane, timeoutMs = 60_000 } = {},
): Promise<ApiResponse> =>
  compose(
    [
      recordRefused(trail),
      limitTime(timeoutMs, { terminated: () => undefined, endedAfterTimeout: () => undefined }),
      (asked, next) => {
        asked.user = user;
        return next();
      },
      recordRequests(trail),
    ],
    endpoint,
  )(request);

const stagesOf = (events: readonly Event[]): (string | undefined)[] => events.map(({ stage }) => stage);

describe('the record of a request', () => {
  test('The audit record of a request ends with stage Panic for an error, without its text', async () => {
    const { trail, events } = setUp();
    await expect(
      serve(trail, requestOf('/version').request, () => Promise.reject(new TypeError('the token is 1234'))),
    ).rejects.toThrow('1234');
    expect(stagesOf(events)).toEqual(['RequestReceived', 'Panic']);
    expect(events[1]!.responseStatus).toEqual({
      metadata: {},
      status: 'Failure',
      message: "APIServer panic'd: TypeError",
      reason: 'InternalError',
      code: 500,
    });
    expect(JSON.stringify(events)).not.toContain('1234');
  });

  test('The audit record of a request has the answer that the caller got at the time limit', async () => {
    const { trail, events } = setUp();
    let finish: (response: ApiResponse) => void = () => undefined;
    const late = new Promise<ApiResponse>((resolve) => (finish = resolve));
    await expect(serve(trail, requestOf('/version').request, () => late, { timeoutMs: 1 })).rejects.toMatchObject({
      code: 504,
    });
    finish(ok);
    await late;
    await trail.close();
    expect(stagesOf(events)).toEqual(['RequestReceived', 'ResponseComplete']);
    expect(events[1]!.responseStatus).toMatchObject({ code: 504, reason: 'Timeout' });
  });

  test('The audit record of a request shows the impersonated user, from the impersonation filter on', async () => {
    const { trail, events } = setUp();
    await serve(trail, requestOf('/version').request, (request) => {
      request.user = { name: 'bob', uid: '7', groups: ['ops'], extra: { scope: ['a', 'b'] } };
      return Promise.resolve(ok);
    });
    expect(events[0]).not.toHaveProperty('impersonatedUser');
    expect(events[1]).toMatchObject({
      user: { username: 'jane' },
      impersonatedUser: { username: 'bob', uid: '7', groups: ['ops'], extra: { scope: ['a', 'b'] } },
    });
  });

  test('The audit record of a request keeps the first note under a key, early ones included', async () => {
    const { trail, events } = setUp();
    const { request } = requestOf('/version');
    await compose(
      [
        recordRefused(trail),
        (asked, next) => {
          asked.annotate('b', '1');
          asked.user = jane;
          return next();
        },
        recordRequests(trail),
      ],
      (asked) => {
        asked.annotate('b', '2');
        asked.annotate('a', '<&>');
        return Promise.resolve(ok);
      },
    )(request);
    expect(events.map(({ annotations }) => annotations)).toEqual([{ b: '1' }, { a: '<&>', b: '1' }]);
  });

  test('The audit record of a watch that is refused has the beginning too', async () => {
    const { trail, events } = setUp();
    await expect(
      serve(trail, requestOf('/api/v1/pods?watch=1').request, () =>
        Promise.reject(new StatusError(410, 'Expired', 'too old')),
      ),
    ).rejects.toMatchObject({ code: 410 });
    expect(events.map(({ stage, responseStatus }) => [stage, responseStatus?.code])).toEqual([
      ['RequestReceived', undefined],
      ['ResponseStarted', 410],
      ['ResponseComplete', 410],
    ]);
  });

  test('The audit record of a watch ends when its connection does', async () => {
    const { trail, events } = setUp();
    const { request, exchange } = requestOf('/api/v1/pods?watch=1');
    await serve(trail, request, () => Promise.resolve(ok));
    expect(stagesOf(events)).toEqual(['RequestReceived', 'ResponseStarted']);
    exchange.close();
    expect(stagesOf(events)).toEqual(['RequestReceived', 'ResponseStarted', 'ResponseComplete']);
  });

  test('The audit record of an unauthenticated request is the refusal alone', async () => {
    const { trail, events } = setUp();
    await expect(
      compose([recordRefused(trail), () => Promise.reject(unauthorized()), recordRequests(trail)], () =>
        Promise.resolve(ok),
      )(requestOf('/version').request),
    ).rejects.toMatchObject({ code: 401 });
    expect(events).toMatchObject([
      { stage: 'ResponseStarted', user: {}, sourceIPs: ['192.0.2.1'], responseStatus: { code: 401 } },
    ]);
  });

  test('The audit record of a request is absent where the policy wants none, as are its notes', async () => {
    const { trail, events } = setUp();
    await serve(
      trail,
      requestOf('/version').request,
      (request) => {
        expect(request.audit).toBeUndefined();
        return Promise.resolve(ok);
      },
      { user: { name: 'nobody', groups: [] } },
    );
    expect(events).toEqual([]);
  });
});

test('A request whose first event cannot be stored is not served', async () => {
  const { trail, counts, events } = setUp(() => false);
  const response = await serve(trail, requestOf('/version').request, () => Promise.reject(new Error('served')));
  expect(response).toMatchObject({
    status: 500,
    body: 'Internal Server Error: "/version": failed to store audit event\n',
  });
  expect([counts.rejected, stagesOf(events)]).toEqual([1, ['RequestReceived']]);
});

test('A server that stops waits for the last events of what is in work', async () => {
  const { trail, events } = setUp();
  let finish: (response: ApiResponse) => void = () => undefined;
  const served = serve(trail, requestOf('/version').request, () => new Promise((resolve) => (finish = resolve)));
  await new Promise((resolve) => setImmediate(resolve));
  const closed = trail.close();
  finish(ok);
  await Promise.all([served, closed]);
  expect(stagesOf(events)).toEqual(['RequestReceived', 'ResponseComplete']);
});
