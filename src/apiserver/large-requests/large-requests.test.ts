import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import type { ServedResource } from '../served/served-resource.ts';
import { type ApiResponse } from '../../server/exchange.ts';
import { ApiRequest } from '../request/request.ts';
import { InMemoryExchange } from './in-memory-exchange.ts';
import { LargeBody } from '../endpoints/large-body.ts';
import { LargeRequests } from './large-requests.ts';
import type { LargeRequestLimits } from './limits.ts';
import { requestErrors } from './messages.ts';
import { noCustomObserver } from '../../api/apiextensions/custom-observer.ts';
import { StatusError } from '../../machinery/status.ts';
import { StorageError } from '../../storage/storage-error.ts';

/** A thread that answers each call with what its code says; `reply(result)` answers the call `message`. */
const threadOf = (code: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
  import { parentPort } from 'node:worker_threads';
  const held = [];
  parentPort.on('message', (message) => {
    const reply = (result, to = message.id) => parentPort.postMessage({ to, result });
    const ok = (body) => ({ status: 200, headers: {}, body });
    const answer = (text) => ({ warnings: [], recorded: [], answer: ok(new TextEncoder().encode(text)) });
    if (message.method === 'ping') return reply(true);
    if (message.method === 'run') { ${code} }
  });
`)}`,
  );

const served = { info: { name: 'configmaps', group: '' } } as unknown as ServedResource;
const answeredHere: ApiResponse = { status: 201, headers: {}, body: 'here' };

function setUp(
  code: string,
  limits: Partial<LargeRequestLimits> = {},
): {
  readonly send: (body: string) => Promise<string>;
  readonly request: (body: string) => ApiRequest;
  readonly subject: LargeRequests;
} {
  const subject = new LargeRequests({
    config: {} as never,
    storeOf: () => undefined as never,
    authorizer: {} as never,
    admission: {} as never,
    pluginServices: {} as never,
    admissionWebhooks: () => undefined,
    admissionPolicies: () => undefined,
    podSecurity: () => undefined,
    customObjects: noCustomObserver,
    dials: () => undefined,
    log: silentLogger,
    limits: { bodyBytes: 5, ...limits },
    file: threadOf(code),
  });
  onTestFinished(() => subject.close());
  const request = (body: string): ApiRequest => {
    const made = new ApiRequest(
      new InMemoryExchange({ method: 'POST', target: '/', headers: [], body: Buffer.from(body) }),
      '/',
      new URLSearchParams(),
      'id',
      0,
    );
    made.user = { name: 'alice', groups: [] };
    return made;
  };
  const send = (body: string): Promise<string> => answerTo(subject, request(body));
  return { send, request, subject };
}

async function answerTo(subject: LargeRequests, request: ApiRequest): Promise<string> {
  const response = await subject.answer(served, request, async () => {
    const bytes = request.givenBody ?? (await request.exchange.readBody(1000));
    if (request.largeBodyBytes !== undefined && bytes.length >= request.largeBodyBytes) throw new LargeBody(bytes);
    return answeredHere;
  });
  return String((response as { readonly body: Buffer | string }).body);
}

describe('a write', () => {
  test('A write with a small body is worked on here', async () => {
    const { send } = setUp('reply(answer("there"))');
    expect(await send('1234')).toBe('here');
  });

  test('A write with a large body is worked on in the thread', async () => {
    const { send } = setUp('reply(answer(`there: ${new TextDecoder().decode(message.args[0].body)}`))');
    expect(await send('12345')).toBe('there: 12345');
  });

  test('A write of a resource that the thread does not serve is worked on here', async () => {
    const { send } = setUp('reply({ warnings: [], recorded: [], isUnknown: true })');
    expect(await send('12345')).toBe('here');
  });

  test('A write fails with the error of the thread', async () => {
    const { send } = setUp(
      'reply({ warnings: ["careful"], recorded: [], error: { code: 409, statusReason: "Conflict", message: ' +
        '"taken", details: { name: "a" } } })',
    );
    await expect(send('12345')).rejects.toMatchObject({
      name: 'StatusError',
      code: 409,
      reason: 'Conflict',
      message: 'taken',
      details: { name: 'a' },
    });
  });

  test('A write waits until the thread has capacity for it', async () => {
    const { send } = setUp(
      'held.push(message.id); if (held.length === 2) for (const id of held.splice(0)) reply(answer("two at once"), id)',
      { atOnce: 2 },
    );
    expect(await Promise.all([send('11111'), send('22222'), send('33333'), send('44444')])).toEqual(
      Array(4).fill('two at once'),
    );
  });

  test('A write gives up waiting when its client goes away', async () => {
    const { send, request, subject } = setUp(
      'held.push(message.id); if (held.length === 2) for (const id of held.splice(0)) reply(answer("done"), id)',
      { atOnce: 1 },
    );
    const first = request('11111');
    const working = answerTo(subject, first);
    const second = request('22222');
    const waiting = answerTo(subject, second);
    await expect.poll(() => second.largeBodyBytes).toBe(5);
    second.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    first.abort(new Error('gone too'));
    await expect(working).rejects.toThrow('gone too');
    expect(await send('33333')).toBe('done');
  });
});

describe('the thread', () => {
  test('The thread for large bodies that ends fails its requests, and the next one gets another thread', async () => {
    const { send } = setUp(
      'const text = new TextDecoder().decode(message.args[0].body); if (text === "crash") throw new ' +
        'Error("crash"); reply(answer("there"))',
    );
    await expect(send('crash')).rejects.toMatchObject({
      code: 500,
      message: expect.stringContaining('the thread for large requests has ended') as string,
    });
    expect(await send('12345')).toBe('there');
  });

  test('The thread for large bodies that is in a loop is ended after its request was aborted', async () => {
    const { send, request, subject } = setUp(
      'const text = new TextDecoder().decode(message.args[0].body); if (text === "loops") for (;;); ' +
        'reply(answer("there"))',
      { unresponsiveMs: 20 },
    );
    const stuck = request('loops');
    const outcome = answerTo(subject, stuck);
    await expect.poll(() => stuck.largeBodyBytes).toBe(5);
    stuck.abort(new Error('too long'));
    await expect(outcome).rejects.toThrow('too long');
    await expect.poll(() => send('12345').catch(() => 'not yet')).toBe('there');
  });

  test('The thread for large bodies ends when it has nothing to do, and starts again', async () => {
    const { send } = setUp('reply(answer(String(held.push(1))))', { idleMs: 1 });
    expect(await send('12345')).toBe('1');
    await expect.poll(() => send('12345')).toBe('1');
  });
});

describe('errors between the threads', () => {
  test.each([
    {
      name: 'of the API',
      error: new StatusError(422, 'Invalid', 'wrong', {
        name: 'a',
        causes: [{ reason: 'x', message: 'y', field: 'z' }],
      }),
    },
    {
      name: 'with a continue token',
      error: new StatusError(410, 'Expired', 'old', undefined, { continueToken: 'token' }),
    },
    { name: 'of the store', error: new StorageError('Compacted', 'gone', { revision: 7 }) },
  ])('Errors between the threads keep what they say: $name', ({ error }) => {
    const decoded = requestErrors.decode(structuredClone(requestErrors.encode(error)));
    expect(decoded).toBeInstanceOf(error.constructor);
    expect({ ...decoded, message: decoded.message }).toEqual({ ...error, message: error.message });
  });
});
