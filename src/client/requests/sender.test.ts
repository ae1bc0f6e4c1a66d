import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import type { ClientConfig } from '../client-config.ts';
import { ConnectionError, type Transport, type TransportAnswer, type TransportRequest } from '../transport/message.ts';
import { type RequestObserver, Sender, type SenderOptions } from './sender.ts';

async function* noBody(): AsyncGenerator<Uint8Array> {}

const answer = (status: number, headers: Record<string, string> = {}): TransportAnswer => ({
  status,
  headers: new Map(Object.entries(headers)),
  body: noBody(),
});
const lost = new ConnectionError('the connection broke');
const unprocessed = new ConnectionError('refused', { isUnprocessed: true });

/** A sender whose requests are answered one after the other; after that they get no answer. */
function setUp(
  answers: readonly (TransportAnswer | Error)[],
  options: SenderOptions = {},
  config: Partial<ClientConfig> = {},
) {
  const clock = new FakeClock();
  const sent: TransportRequest[] = [];
  const times: number[] = [];
  const transport: Transport = {
    send(request) {
      const next = answers[sent.length];
      sent.push(request);
      times.push(clock.now());
      if (next instanceof Error) return Promise.reject(next);
      if (next !== undefined) return Promise.resolve(next);
      return new Promise((_, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason)));
    },
    close: () => Promise.resolve(),
  };
  const sender = new Sender({ url: 'https://api.example.com', ...config }, transport, {
    clock,
    limits: { qps: 0 },
    ...options,
  });
  return { clock, sent, times, sender };
}

/** What is due now sets its timers first. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  await clock.advance(0);
  await clock.advance(ms);
}

describe('a request is sent again', () => {
  test.each([
    { name: '429 with Retry-After', method: 'POST', first: answer(429, { 'retry-after': '2' }), atMs: 2000 },
    { name: '503 with Retry-After', method: 'PUT', first: answer(503, { 'retry-after': '1' }), atMs: 1000 },
    { name: '500 with Retry-After', method: 'DELETE', first: answer(500, { 'retry-after': '3' }), atMs: 3000 },
    { name: 'a connection lost during a GET', method: 'GET', first: lost, atMs: 1000 },
    { name: 'a POST that never reached the server', method: 'POST', first: unprocessed, atMs: 100 },
  ])('A request is sent again after $name', async ({ method, first, atMs }) => {
    const { clock, times, sender } = setUp([first, answer(200)]);
    const sending = sender.send({ method, path: '/' });
    await pass(clock, 10_000);
    expect((await sending).status).toBe(200);
    expect(times).toEqual([0, atMs]);
  });
});

describe('a request is not sent again', () => {
  test.each([
    { name: '429 without Retry-After', method: 'GET', first: answer(429), status: 429 },
    { name: '500 without Retry-After', method: 'GET', first: answer(500), status: 500 },
    { name: '409, whatever it says', method: 'PUT', first: answer(409, { 'retry-after': '1' }), status: 409 },
    {
      name: 'Retry-After that is no number',
      method: 'GET',
      first: answer(503, { 'retry-after': 'soon' }),
      status: 503,
    },
  ])('A request is not sent again after $name', async ({ method, first, status }) => {
    const { sent, sender } = setUp([first]);
    expect((await sender.send({ method, path: '/' })).status).toBe(status);
    expect(sent).toHaveLength(1);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'A request is not sent again after a connection lost during a %s',
    async (method) => {
      const { sent, sender } = setUp([lost]);
      await expect(sender.send({ method, path: '/' })).rejects.toBe(lost);
      expect(sent).toHaveLength(1);
    },
  );

  test('A request is not sent again more often than the client allows: the last answer stands', async () => {
    const busy = Array.from({ length: 4 }, () => answer(429, { 'retry-after': '1' }));
    const { clock, sent, sender } = setUp(busy, { maxRetries: 2 });
    const sending = sender.send({ method: 'GET', path: '/' });
    await pass(clock, 10_000);
    expect((await sending).status).toBe(429);
    expect(sent).toHaveLength(3);
  });
});

describe('a request ends', () => {
  test('A request ends after its time limit, retries included', async () => {
    const { clock, sender } = setUp([answer(503, { 'retry-after': '3' })], { timeoutMs: 5000 });
    const sending = expect(sender.send({ method: 'GET', path: '/' })).rejects.toMatchObject({ name: 'TimeoutError' });
    await pass(clock, 5000);
    await sending;
    expect(clock.pending).toBe(0);
  });

  test.each([
    { name: 'is under way', answers: [] },
    { name: 'waits to be sent again', answers: [answer(503, { 'retry-after': '9' })] },
  ])('A request ends with its signal while it $name', async ({ answers }) => {
    const { clock, sender } = setUp(answers);
    const abort = new AbortController();
    const sending = expect(sender.send({ method: 'GET', path: '/', signal: abort.signal })).rejects.toThrow('enough');
    await pass(clock, 0);
    abort.abort(new Error('enough'));
    await sending;
    expect(clock.pending).toBe(0);
  });

  test('A request ends with its signal while it waits for the rate limit', async () => {
    const { clock, sent, sender } = setUp([answer(200)], { limits: { qps: 1, burst: 1 } });
    await sender.send({ method: 'GET', path: '/' }).then(({ end }) => end());
    const abort = new AbortController();
    const sending = expect(sender.send({ method: 'GET', path: '/', signal: abort.signal })).rejects.toThrow('enough');
    abort.abort(new Error('enough'));
    await sending;
    expect([sent.length, clock.pending]).toEqual([1, 0]);
  });
});

describe('the rate of a client', () => {
  test.each([
    { name: '20 a second after 30 at once by default', limits: {}, count: 34, at: [0, 50, 100, 150, 200].slice(0, 5) },
    { name: 'as configured', limits: { qps: 5, burst: 2 }, count: 5, at: [0, 200, 400, 600] },
  ])('The rate of a client is $name', async ({ limits, count, at }) => {
    const answers = Array.from({ length: count }, () => answer(200));
    const { clock, times, sender } = setUp(answers, { limits: { ...limits } });
    const all = Promise.all(answers.map(() => sender.send({ method: 'GET', path: '/' })));
    await pass(clock, 2000);
    await all;
    expect([...new Set(times.map(Math.round))]).toEqual(at);
  });

  test('The rate of a client counts what is sent again', async () => {
    const { clock, times, sender } = setUp([answer(429, { 'retry-after': '1' }), answer(200)], {
      limits: { qps: 0.5, burst: 1 },
    });
    const sending = sender.send({ method: 'GET', path: '/' });
    await pass(clock, 5000);
    await sending;
    expect(times).toEqual([0, 2000]);
  });
});

describe('credentials that the server refuses', () => {
  const withTokens = (tokens: string[], canRenew: boolean): Partial<ClientConfig> => ({
    authorization: () => Promise.resolve(tokens[0]),
    onUnauthorized(shown) {
      if (shown === tokens[0]) tokens.shift();
      return Promise.resolve(canRenew);
    },
  });
  const shown = (sent: readonly TransportRequest[]): (string | undefined)[] =>
    sent.map(({ headers }) => headers.find(([name]) => name === 'authorization')?.[1]);

  test('Credentials that the server refuses are renewed, and the request is sent once more', async () => {
    const { sent, sender } = setUp([answer(401), answer(201)], {}, withTokens(['Bearer a', 'Bearer b'], true));
    expect((await sender.send({ method: 'POST', path: '/' })).status).toBe(201);
    expect(shown(sent)).toEqual(['Bearer a', 'Bearer b']);
  });

  test('Credentials that the server refuses are not tried a third time', async () => {
    const config = withTokens(['Bearer a', 'Bearer b', 'Bearer c'], true);
    const { sent, sender } = setUp([answer(401), answer(401)], {}, config);
    expect((await sender.send({ method: 'GET', path: '/' })).status).toBe(401);
    expect(shown(sent)).toEqual(['Bearer a', 'Bearer b']);
  });

  test('Credentials that the server refuses lead to the refusal where there are no others', async () => {
    const { sent, sender } = setUp([answer(401)], {}, withTokens(['Bearer a'], false));
    expect((await sender.send({ method: 'GET', path: '/' })).status).toBe(401);
    expect(sent).toHaveLength(1);
  });
});

describe('the bytes of a request and of its answer', () => {
  const told = (): { bytes: string[]; observer: RequestObserver } => {
    const bytes: string[] = [];
    const observer: RequestObserver = {
      answered: () => undefined,
      sent: ({ method }, count) => void bytes.push(`${method} sent ${count}`),
      received: ({ method, host }, count) => void bytes.push(`${method} ${host} received ${count}`),
    };
    return { bytes, observer };
  };
  const read = (bytes: number | undefined): TransportAnswer => ({ ...answer(200), bodyBytes: () => bytes });

  test('The bytes of a request and of its answer are told once the answer was read', async () => {
    const { bytes, observer } = told();
    const { sender } = setUp([read(7)], { observer });
    const sent = await sender.send({ method: 'POST', path: '/', body: Buffer.from('four') });
    expect(bytes).toEqual(['POST sent 4']);
    sent.end();
    sent.end();
    expect(bytes).toEqual(['POST sent 4', 'POST api.example.com received 7']);
  });

  test.each([
    { name: 'was not read to its end', bytes: undefined, isWatch: false },
    { name: 'is that of a watch', bytes: 7, isWatch: true },
  ])('The bytes of an answer are not told where it $name', async ({ bytes: count, isWatch }) => {
    const { bytes, observer } = told();
    const { sender } = setUp([read(count)], { observer });
    const sent = await sender.send({ method: 'GET', path: '/' });
    if (isWatch) sent.release();
    sent.end();
    expect(bytes).toEqual(['GET sent 0']);
  });
});

describe('the headers of impersonation', () => {
  test('The headers of impersonation name user, uid, groups and extra, with keys encoded', async () => {
    const impersonate = {
      user: 'jané',
      uid: 'u1',
      groups: ['devs', 'ops'],
      extra: { 'Example.com/Scopes%': ['view', 'edit'] },
    };
    const { sent, sender } = setUp([answer(200)], { userAgent: 'test' }, { impersonate });
    await sender.send({ method: 'GET', path: '/' });
    expect(sent[0]!.headers).toEqual([
      ['user-agent', 'test'],
      ['impersonate-user', Buffer.from('jané').toString('latin1')],
      ['impersonate-uid', 'u1'],
      ['impersonate-group', 'devs'],
      ['impersonate-group', 'ops'],
      ['impersonate-extra-example.com%2Fscopes%25', 'view'],
      ['impersonate-extra-example.com%2Fscopes%25', 'edit'],
    ]);
  });

  test('The headers of impersonation have no line breaks', () => {
    expect(() => setUp([], {}, { impersonate: { user: 'a\r\nimpersonate-group: system:masters' } })).toThrow(
      'cannot be a header of a request',
    );
  });
});

test('An observer hears of each attempt', async () => {
  const told: unknown[] = [];
  const { clock, sender } = setUp([lost, answer(200)], {
    observer: {
      answered: ({ method, host }, status) => void told.push([method, host, status]),
      retried: ({ method }, status) => void told.push(['again', method, status]),
    },
  });
  const sending = sender.send({ method: 'GET', path: '/' });
  await pass(clock, 1000);
  await sending;
  expect(told).toEqual([
    ['GET', 'api.example.com', undefined],
    ['again', 'GET', undefined],
    ['GET', 'api.example.com', 200],
  ]);
});
