import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { ApiResponse, Exchange, Sink } from '../../server/exchange.ts';
import { ApiRequest } from '../request/request.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import type { ApiServices } from './api-services.ts';
import type { BackendResponse } from './backend-session.ts';
import type { BackendCall, Backends } from './backends.ts';
import { aggregationProxy, createProxy } from './proxy.ts';
import type { RemoteApi } from './remote-api.ts';

const api: RemoteApi = {
  name: 'v1.agg.example.com',
  group: 'agg.example.com',
  version: 'v1',
  apiVersion: 'agg.example.com/v1',
  groupPriority: 100,
  versionPriority: 10,
  service: { namespace: 'default', name: 'agg', port: 443 },
  ca: undefined,
  skipVerify: false,
  isAvailable: true,
};

function requestFor(path: string, query = ''): ApiRequest {
  const exchange: Exchange = {
    method: 'GET',
    target: path,
    httpVersion: '2.0',
    header: () => undefined,
    headerValues: () => [],
    headerNames: () => [],
    readBody: () => Promise.resolve(Buffer.alloc(0)),
    bodyStream: () => undefined,
    remoteAddress: '192.0.2.1',
    peerCertificate: () => undefined,
    onClose: () => undefined,
  };
  const parameters = new URLSearchParams(query);
  const request = new ApiRequest(exchange, path, parameters, 'audit-id', performance.now());
  request.info = parseRequestInfo('GET', path, parameters);
  request.user = { name: 'jane', groups: [] };
  return request;
}

interface Setting {
  readonly answer?: Partial<Omit<BackendResponse, 'headers'>> & { headers?: Record<string, string[]> };
  readonly sendError?: Error;
  readonly resolveError?: Error;
  readonly rejectRedirects?: boolean;
}

function setUp({ answer = {}, sendError, resolveError, rejectRedirects = true }: Setting = {}) {
  const [sent, refusals]: [BackendCall[], number[]] = [[], []];
  let aborts = 0;
  const backends = {
    send: (_api: RemoteApi, _address: object, call: BackendCall): Promise<BackendResponse> => {
      sent.push(call);
      if (sendError !== undefined) return Promise.reject(sendError);
      const { status = 200, body = Readable.from([Buffer.from('answer')]), headers = {} } = answer;
      return Promise.resolve({ status, body, headers: new Map(Object.entries(headers)) });
    },
  } as unknown as Backends;
  const proxy = createProxy({
    backends,
    resolve: () =>
      resolveError === undefined ? Promise.resolve({ host: '10.0.0.9', port: 443 }) : Promise.reject(resolveError),
    forwarding: { frontProxyHeaders: [], frontProxyPrefixes: [], tellUid: false },
    rejectRedirects,
    requestTimeoutMs: 60_000,
    onRefusal: (_, code) => void refusals.push(code),
    onAbort: () => void aborts++,
    log: { warn: () => undefined },
  });
  return { proxy, sent, refusals, aborts: () => aborts };
}

const things = '/apis/agg.example.com/v1/things';

/** What a client gets of an answer, and whether it was broken off. */
async function receive(answer: ApiResponse): Promise<{ text: string; isBroken: boolean }> {
  if ('body' in answer) return { text: String(answer.body), isBroken: false };
  if (!('stream' in answer)) throw new Error('neither a body nor a stream');
  const chunks: Buffer[] = [];
  let isBroken = false;
  const sink: Sink = {
    write: (chunk) => chunks.push(chunk) > 0,
    drained: () => Promise.resolve(),
    closed: false,
    onClose: () => undefined,
    abort: () => void (isBroken = true),
  };
  await answer.stream(sink);
  return { text: Buffer.concat(chunks).toString(), isBroken };
}

describe('a request that gets no further than here', () => {
  test.each([
    ['an API that is not available', { isAvailable: false }, things, {}, 503, 'service unavailable\n', [503]],
    [
      'a service without an address',
      {},
      things,
      { resolveError: new Error('none') },
      503,
      'service unavailable\n',
      [503],
    ],
    [
      'authorities that are no PEM',
      { ca: 'none' },
      things,
      {},
      500,
      'unable to load root certificates: unable to parse bytes as PEM block\n',
      [500],
    ],
    ['a path with ..', {}, `${things}/../nodes`, {}, 404, '404 page not found\n', []],
    ['a path with .', {}, `${things}/./a`, {}, 404, '404 page not found\n', []],
    ['a path with an empty segment', {}, `${things}//a`, {}, 404, '404 page not found\n', []],
  ])('The proxy answers a request itself: %s', async (_, more, path, setting, status, text, counted) => {
    const { proxy, sent, refusals } = setUp(setting);
    const answer = await proxy(requestFor(path), { ...api, ...more });
    expect([answer.status, (await receive(answer)).text]).toEqual([status, text]);
    expect([sent, refusals]).toEqual([[], counted]);
  });
});

describe('the target of a request that is passed on', () => {
  test.each([
    ['as it came', things, '', things],
    ['with its query', things, 'limit=1&labelSelector=a%3Db', `${things}?limit=1&labelSelector=a%3Db`],
    ['with a slash at its end', `${things}/`, '', `${things}/`],
    ['in one spelling', `${things}/a b%c/ü`, '', `${things}/a%20b%25c/%C3%BC`],
    ['with the signs that may stand', `${things}/a:b@c,d;e=f$&+`, '', `${things}/a:b@c,d;e=f$&+`],
  ])('The target of a request that is passed on is the path %s', async (_, path, query, target) => {
    const { proxy, sent } = setUp();
    await proxy(requestFor(path, query), api);
    expect(sent[0]!.target).toBe(target);
  });

  test('The target of a request that is passed on names the caller and not what proves it', async () => {
    const { proxy, sent } = setUp();
    await proxy(requestFor(things), api);
    expect(Object.fromEntries(sent[0]!.headers)).toMatchObject({
      'x-remote-user': ['jane'],
      'x-forwarded-host': ['10.0.0.9:443'],
    });
  });
});

describe('an answer', () => {
  test.each([
    [
      'is handed on with its status and headers',
      { status: 201, headers: { 'x-a': ['1', '2'] } },
      201,
      { 'x-a': ['1', '2'] },
    ],
    [
      'has a location on its server as a whole URL',
      { status: 201, headers: { location: ['/apis/b'] } },
      201,
      { location: 'https://10.0.0.9:443/apis/b' },
    ],
    [
      'has a location elsewhere as it is',
      { status: 201, headers: { location: ['//elsewhere/b'] } },
      201,
      { location: '//elsewhere/b' },
    ],
  ])('An answer %s', async (_, answer, status, headers) => {
    const { proxy } = setUp({ answer });
    const { status: got, headers: shown, ...rest } = await proxy(requestFor(things), api);
    expect(got).toBe(status);
    expect(shown).toMatchObject(headers);
    expect(await receive({ status: got, headers: shown, ...rest } as ApiResponse)).toEqual({
      text: 'answer',
      isBroken: false,
    });
  });

  test.each([
    ['is refused', true, 302, ['https://elsewhere/'], 502],
    ['without a location is handed on', true, 304, [], 304],
    ['is handed on where a flag lets it', false, 302, ['https://elsewhere/'], 302],
  ])('An answer that is a redirect %s', async (_, rejectRedirects, status, location, expected) => {
    const { proxy } = setUp({
      answer: { status, headers: location.length === 0 ? {} : { location } },
      rejectRedirects,
    });
    expect((await proxy(requestFor(things), api)).status).toBe(expected);
  });

  test('An answer of an aggregated server that breaks off breaks off for the client, and is counted', async () => {
    const body = Readable.from(
      (function* () {
        yield Buffer.from('half');
        throw new Error('gone');
      })(),
    );
    const { proxy, aborts } = setUp({ answer: { body } });
    expect(await receive(await proxy(requestFor(things), api))).toEqual({ text: 'half', isBroken: true });
    expect(aborts()).toBe(1);
  });

  test.each([
    ['is down', { code: 'ECONNREFUSED' }, 'dial tcp 10.0.0.9:443: connect: connection refused'],
    ['is not there', { code: 'EHOSTUNREACH' }, 'dial tcp 10.0.0.9:443: connect: no route to host'],
    ['has no name', { code: 'ENOTFOUND' }, 'dial tcp: lookup 10.0.0.9: no such host'],
    ['does not take the connection', { code: 'ETIMEDOUT' }, 'dial tcp 10.0.0.9:443: i/o timeout'],
    ['does not answer in time', { name: 'TimeoutError' }, 'context deadline exceeded'],
    ['ends the connection', { code: 'ECONNRESET' }, 'EOF'],
    [
      'is another one',
      { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    ],
  ])('An answer says why there is none: the server %s', async (_, error, text) => {
    const { proxy } = setUp({ sendError: Object.assign(new Error('failed'), error) });
    const answer = await proxy(requestFor(things), api);
    expect([answer.status, (await receive(answer)).text]).toEqual([503, `error trying to reach service: ${text}\n`]);
  });
});

describe('the last step of the chain', () => {
  const services = (isKnown: boolean): ApiServices =>
    ({
      isKnown,
      hasRemotes: true,
      remote: (apiVersion: string) => (apiVersion === api.apiVersion ? api : undefined),
    }) as unknown as ApiServices;
  const pass = (path: string, isKnown = true): Promise<number> =>
    aggregationProxy(
      services(isKnown),
      { isBuiltIn: (apiVersion) => apiVersion === 'apps/v1', known: () => Promise.reject(new Error('not yet')) },
      () => Promise.resolve({ status: 299, headers: {} }),
    )(requestFor(path), () => Promise.resolve({ status: 200, headers: {} })).then(({ status }) => status);

  test.each([
    ['a resource of the group version', things, 299],
    ['an object', '/apis/agg.example.com/v1/namespaces/a/things/b', 299],
    ['its discovery', '/apis/agg.example.com/v1', 299],
    ['its discovery with a slash', '/apis/agg.example.com/v1/', 299],
    ['the discovery of the group', '/apis/agg.example.com', 200],
    ['another version', '/apis/agg.example.com/v2/things', 200],
    ['the core group', '/api/v1/pods', 200],
    ['no resource', '/version', 200],
  ])('The last step of the chain passes on what is for the other server: %s', async (_, path, status) => {
    expect(await pass(path)).toBe(status);
  });

  test.each([
    ['is not waited for where the APIService is known', things, 299],
    ['is not waited for where the server itself has the group version', '/apis/apps/v1/deployments', 200],
    ['is waited for otherwise', '/apis/other.example.com/v1/things', 'not yet'],
  ])('The last step of the chain before the APIServices are read, the rest %s', async (_, path, outcome) => {
    expect(await pass(path, false).catch((error: Error) => error.message)).toBe(outcome);
  });
});
