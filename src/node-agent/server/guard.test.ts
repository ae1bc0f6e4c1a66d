import { describe, expect, test } from 'vitest';
import { memoryExchange } from '../../../test/support/memory-exchange.ts';
import type { Identity } from '../../auth/authentication/authenticator.ts';
import type { AuthorizationAttributes, AuthorizationDecision } from '../../auth/authorization/authorizer.ts';
import { silentLogger } from '../../base/logger.ts';
import { attributesOf } from './attributes.ts';
import { guardAgent } from './guard.ts';
import { isKnownPath, isOpenPath } from './known-paths.ts';

const alice: Identity = { user: { name: 'alice', groups: ['devs'] } };
const anonymous: Identity = { user: { name: 'system:anonymous', groups: ['system:unauthenticated'] } };

interface Asked {
  readonly method?: string;
  readonly target: string;
  readonly identity?: Identity | Error | undefined;
  readonly decide?: (attributes: AuthorizationAttributes) => AuthorizationDecision;
  readonly isFine?: boolean;
  readonly httpVersion?: '1.1' | '2.0';
}

async function ask({ method = 'GET', target, isFine = false, httpVersion = '1.1', ...who }: Asked) {
  const { decide = () => ({ decision: 'allow', reason: '' }) as const } = who;
  const judged: string[] = [];
  const handle = guardAgent(() => Promise.resolve({ status: 200, headers: {}, body: 'served' }), {
    nodeName: 'n',
    authenticator: {
      name: 'test',
      authenticate: () => {
        if (who.identity instanceof Error) throw who.identity;
        return 'identity' in who ? who.identity : alice;
      },
    },
    authorizer: {
      authorize: (attributes) => {
        const { verb, resource, subresource, name } = attributes;
        judged.push(`${verb} ${resource}/${subresource} ${name}`);
        return decide(attributes);
      },
    },
    isFine,
    isKnown: isKnownPath,
    log: silentLogger,
  });
  const answer = await handle(Object.assign(memoryExchange({ method, target }), { httpVersion }));
  return { ...(answer as { status: number; body: string; headers: Record<string, string> }), judged };
}

const no = (): AuthorizationDecision => ({ decision: 'noOpinion', reason: '' });

describe('A request to a node', () => {
  test.each<{ name: string; asked: Asked; status: number; body: string; judged: string[] }>([
    { name: 'is served', asked: { target: '/pods' }, status: 200, body: 'served', judged: ['get nodes/proxy n'] },
    {
      name: 'for a path that is not there is refused before the caller is known',
      asked: { target: '/absent', identity: undefined },
      status: 404,
      body: '404 page not found\n',
      judged: [],
    },
    {
      name: 'without credentials is refused',
      asked: { target: '/pods', identity: undefined },
      status: 401,
      body: 'Unauthorized',
      judged: [],
    },
    {
      name: 'with bad credentials is refused',
      asked: { target: '/pods', identity: new Error('bad') },
      status: 401,
      body: 'Unauthorized',
      judged: [],
    },
    {
      name: 'that is not allowed is refused',
      asked: { target: '/stats/summary', decide: no },
      status: 403,
      body: 'Forbidden (user=alice, verb=get, resource=nodes, subresource(s)=[stats])\n',
      judged: ['get nodes/stats n'],
    },
    {
      name: 'that cannot be judged is refused',
      asked: { target: '/pods', decide: () => ({ decision: 'noOpinion', reason: '', error: 'away' }) },
      status: 500,
      body: 'Authorization error (user=alice, verb=get, resource=nodes, subresource=proxy)',
      judged: ['get nodes/proxy n'],
    },
    {
      name: 'is allowed by the finer right with the gate',
      asked: { target: '/pods', isFine: true, decide: ({ subresource }) => (subresource === 'pods' ? allow : no()) },
      status: 200,
      body: 'served',
      judged: ['get nodes/pods n'],
    },
    {
      name: 'is allowed by the coarse right with the gate',
      asked: {
        target: '/configz',
        isFine: true,
        decide: ({ subresource }) => (subresource === 'proxy' ? allow : no()),
      },
      status: 200,
      body: 'served',
      judged: ['get nodes/configz n', 'get nodes/proxy n'],
    },
    {
      name: 'with neither right is refused with both',
      asked: { target: '/runningpods/', isFine: true, decide: no },
      status: 403,
      body: 'Forbidden (user=alice, verb=get, resource=nodes, subresource(s)=[pods proxy])\n',
      judged: ['get nodes/pods n', 'get nodes/proxy n'],
    },
    {
      name: 'for a path with .. is sent to the clean one before the caller is known',
      asked: { target: '/logs/../../etc/passwd', identity: undefined },
      status: 301,
      body: '<a href="/etc/passwd">Moved Permanently</a>.\n\n',
      judged: [],
    },
    {
      name: 'for what is no path is refused',
      asked: { target: '/%zz', identity: undefined },
      status: 400,
      body: 'Bad Request',
      judged: [],
    },
  ])('A request $name', async ({ asked, status, body, judged }) => {
    expect(await ask(asked)).toMatchObject({ status, body, judged });
  });

  test('A caller that is not known gets no further streams of its connection', async () => {
    const answer = await ask({ target: '/pods', identity: anonymous, httpVersion: '2.0' });
    expect(answer.headers).toMatchObject({ connection: 'close' });
  });
});

const allow: AuthorizationDecision = { decision: 'allow', reason: '' };

describe('What an authorizer is asked', () => {
  test.each([
    { method: 'GET', path: '/stats/summary', verb: 'get', subresources: ['stats'] },
    { method: 'GET', path: '/metrics/cadvisor', verb: 'get', subresources: ['metrics'] },
    { method: 'GET', path: '/metricsx', verb: 'get', subresources: ['proxy'] },
    { method: 'GET', path: '/logs/', verb: 'get', subresources: ['log'] },
    { method: 'POST', path: '/checkpoint/a/b/c', verb: 'create', subresources: ['checkpoint'] },
    { method: 'POST', path: '/exec/a/b/c', verb: 'create', subresources: ['proxy'] },
    { method: 'PUT', path: '/debug/flags/v', verb: 'update', subresources: ['proxy'] },
    { method: 'PATCH', path: '/pods', verb: 'patch', subresources: ['proxy'] },
    { method: 'DELETE', path: '/pods', verb: 'delete', subresources: ['proxy'] },
    { method: 'HEAD', path: '/pods', verb: '', subresources: ['proxy'] },
    { method: 'constructor', path: '/pods', verb: '', subresources: ['proxy'] },
  ])('$method $path is $verb', ({ method, path, verb, subresources }) => {
    expect(attributesOf(method, path, false)).toEqual({ verb, subresources });
  });

  test.each([
    { path: '/pods', subresources: ['pods', 'proxy'] },
    { path: '/runningpods/', subresources: ['pods', 'proxy'] },
    { path: '/healthz/ping', subresources: ['healthz', 'proxy'] },
    { path: '/configz', subresources: ['configz', 'proxy'] },
    { path: '/exec/a/b/c', subresources: ['proxy'] },
    { path: '/stats', subresources: ['stats'] },
  ])('With the gate $path has rights of its own', ({ path, subresources }) => {
    expect(attributesOf('GET', path, true).subresources).toEqual(subresources);
  });
});

describe('Which paths are there', () => {
  test.each([
    { path: '/pods', isKnown: true, isOpen: true },
    { path: '/pods/', isKnown: true, isOpen: true },
    { path: '/pods/x', isKnown: false, isOpen: false },
    { path: '/metrics/resource', isKnown: true, isOpen: true },
    { path: '/stats/summary', isKnown: true, isOpen: true },
    { path: '/healthz/ping', isKnown: true, isOpen: true },
    { path: '/exec/a/b/c', isKnown: true, isOpen: false },
    { path: '/containerLogs/a/b/c', isKnown: true, isOpen: false },
    { path: '/run/a/b/c', isKnown: true, isOpen: false },
    { path: '/runningpods/', isKnown: true, isOpen: false },
    { path: '/configz', isKnown: true, isOpen: false },
    { path: '/logs/x', isKnown: true, isOpen: false },
    { path: '/debug/pprof/heap', isKnown: true, isOpen: false },
    { path: '/', isKnown: false, isOpen: false },
    { path: '/cri/exec/x', isKnown: false, isOpen: false },
  ])('$path is there with TLS: $isKnown, without: $isOpen', ({ path, isKnown, isOpen }) => {
    expect([isKnownPath(path), isOpenPath(path)]).toEqual([isKnown, isOpen]);
  });
});
