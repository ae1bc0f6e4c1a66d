import { describe, expect, test } from 'vitest';
import { memoryExchange } from '../../test/support/memory-exchange.ts';
import { AuthenticationError } from '../auth/authentication/union.ts';
import type { RequestAuthenticator } from '../auth/authentication/authenticator.ts';
import type { AuthorizationAttributes, AuthorizationDecision } from '../auth/authorization/authorizer.ts';
import type { ApiResponse } from './exchange.ts';
import { guardedHandler } from './guarded-handler.ts';

const jane = { user: { name: 'jane', groups: ['devs'] } };
const stranger = { user: { name: 'system:anonymous', groups: ['system:unauthenticated'] } };

async function ask(
  target: string,
  {
    authenticate = () => jane,
    decide = () => ({ decision: 'allow', reason: '' }),
    method = 'GET',
    httpVersion = '1.1',
  }: {
    authenticate?: RequestAuthenticator['authenticate'];
    decide?: (attributes: AuthorizationAttributes) => AuthorizationDecision | Promise<AuthorizationDecision>;
    method?: string;
    httpVersion?: '1.1' | '2.0';
  } = {},
) {
  const judged: AuthorizationAttributes[] = [];
  const logged: string[] = [];
  const handle = guardedHandler(
    () => Promise.resolve<ApiResponse>({ status: 200, headers: { 'x-own': 'yes' }, body: 'served' }),
    {
      authenticator: { name: 'test', authenticate },
      authorizer: {
        authorize: (attributes) => {
          judged.push(attributes);
          return decide(attributes);
        },
      },
      log: { debug: (_, text) => void logged.push(text), error: (_, text) => void logged.push(text) },
    },
  );
  const exchange = Object.assign(memoryExchange({ method, target }), { httpVersion });
  const answer = (await handle(exchange)) as { status: number; headers: Record<string, unknown>; body: string };
  return { ...answer, judged, logged };
}

describe('a request is served', () => {
  test('A request is served when its caller is known and may make it', async () => {
    const { status, body, judged, headers } = await ask('/metrics?x=y', { method: 'POST' });
    expect([status, body, headers]).toEqual([200, 'served', { 'x-own': 'yes' }]);
    expect(judged).toEqual([
      expect.objectContaining({ user: jane.user, verb: 'post', path: '/metrics', isResourceRequest: false }),
    ]);
  });

  test('A request is served by its path as it is decoded', async () => {
    expect((await ask('/%6detrics')).judged[0]!.path).toBe('/metrics');
  });
});

describe('a request is refused', () => {
  test.each<{
    name: string;
    target?: string;
    options: Parameters<typeof ask>[1];
    status: number;
    message: string;
    logged?: string[];
  }>([
    {
      name: 'whose credential is not good',
      options: {
        authenticate: () => {
          throw new AuthenticationError(['the reason is for the log']);
        },
      },
      status: 401,
      message: 'Unauthorized',
      logged: ['a request was not authenticated'],
    },
    {
      name: 'of no caller at all',
      options: { authenticate: () => undefined },
      status: 401,
      message: 'Unauthorized',
    },
    {
      name: 'that its caller may not make',
      options: { decide: () => ({ decision: 'noOpinion', reason: 'no role' }) },
      status: 403,
      message: 'forbidden: User "jane" cannot get path "/metrics": no role',
    },
    {
      name: 'that was denied',
      options: { decide: () => Promise.resolve({ decision: 'deny', reason: '' }) },
      status: 403,
      message: 'forbidden: User "jane" cannot get path "/metrics"',
    },
    {
      name: 'that could not be judged',
      options: { decide: () => ({ decision: 'noOpinion', reason: '', error: 'connection refused' }) },
      status: 500,
      message: 'Internal error occurred: the request could not be authorized',
      logged: ['a request could not be authorized'],
    },
    {
      name: 'whose judge fails',
      options: { decide: () => Promise.reject(new Error('broken')) },
      status: 500,
      message: 'Internal error occurred: the request could not be authorized',
      logged: ['a request could not be authorized'],
    },
    {
      name: 'whose target is a URL',
      target: 'http://host/metrics',
      options: {},
      status: 400,
      message: 'the target of the request is no path',
    },
    {
      name: 'whose target cannot be decoded',
      target: '/%ff',
      options: {},
      status: 400,
      message: 'the target of the request is no path',
    },
  ])('A request is refused: $name', async ({ target = '/metrics', options, status, message, logged = [] }) => {
    const answer = await ask(target, options);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ kind: 'Status', status: 'Failure', code: status, message });
    expect(answer.logged).toEqual(logged);
  });
});

test.each<{ name: string; options: Parameters<typeof ask>[1]; leaves: boolean }>([
  { name: 'a known caller keeps its connection', options: { httpVersion: '2.0' }, leaves: false },
  { name: 'an anonymous one does not', options: { httpVersion: '2.0', authenticate: () => stranger }, leaves: true },
  {
    name: 'nor does one that is refused',
    options: { httpVersion: '2.0', authenticate: () => undefined },
    leaves: true,
  },
  { name: 'HTTP/1.1 has no streams to open', options: { authenticate: () => stranger }, leaves: false },
])('A request to a guarded handler: $name', async ({ options, leaves }) => {
  const { headers } = await ask('/healthz', options);
  expect(headers['connection']).toBe(leaves ? 'close' : undefined);
});
