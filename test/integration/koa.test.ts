/** A control plane that is mounted into a Koa application of its user's. */
import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import Koa from 'koa';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ControlPlane, createControlPlane, type KoaOptions } from '../../src/index.ts';

let controlPlane: ControlPlane;
let token: string;
beforeAll(async () => {
  controlPlane = await createControlPlane({
    controllers: false,
    flags: ['--anonymous-auth=false', '--authorization-mode=RBAC'],
  });
  const config = new KubeConfig();
  config.loadFromString(controlPlane.kubeconfig);
  const api = config.makeApiClient(CoreV1Api);
  await api.createNamespacedServiceAccount({ namespace: 'default', body: { metadata: { name: 'robot' } } });
  const { status } = await api.createNamespacedServiceAccountToken({
    name: 'robot',
    namespace: 'default',
    body: { spec: { audiences: [] } },
  });
  token = status!.token;
});
afterAll(() => controlPlane.close());

interface Application extends AsyncDisposable {
  readonly url: string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

type Context = Koa.ParameterizedContext;

async function serve(app: Koa, { isHttp2 = false } = {}): Promise<Application> {
  app.silent = true;
  const callback = app.callback();
  const server = isHttp2
    ? http2.createServer((request, response) => void (callback as (...of: unknown[]) => void)(request, response))
    : http.createServer((request, response) => void callback(request, response));
  const sessions = new Set<http2.ServerHttp2Session>();
  if (!('closeAllConnections' in server)) server.on('session', (session) => sessions.add(session));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    fetch: (path, init) => fetch(url + path, init),
    async [Symbol.asyncDispose]() {
      if ('closeAllConnections' in server) server.closeAllConnections();
      for (const session of sessions) session.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** An application with the control plane below `/cluster`, and something else. */
function application(options: KoaOptions<Context> = {}): Koa {
  const app = new Koa();
  app.use(controlPlane.koa({ prefix: '/cluster', ...options }));
  app.use((ctx) => void (ctx.body = 'elsewhere'));
  return app;
}

const administrator = (): KoaOptions<Context> => ({ user: () => ({ name: 'jane', groups: ['system:masters'] }) });
const configMaps = '/cluster/api/v1/namespaces/default/configmaps';
const json = { 'content-type': 'application/json' };
const configMap = (name: string, data = {}): RequestInit => ({
  method: 'POST',
  headers: json,
  body: JSON.stringify({ metadata: { name }, data }),
});
const bearer = (): Record<string, string> => ({ authorization: `Bearer ${token}` });

describe('the prefix', () => {
  test.each(['/', '/clusters', '/cluste', '/other/cluster/version', '/Cluster/version'])(
    'The prefix of a mounted control plane leaves %s to what comes behind',
    async (path) => {
      await using app = await serve(application(administrator()));
      expect(await (await app.fetch(path)).text()).toBe('elsewhere');
    },
  );

  test.each(['/cluster', '/cluster/', '/cluster?pretty=1', '/cluster/version', '/cluster/%76ersion'])(
    'The prefix of a mounted control plane takes %s',
    async (path) => {
      await using app = await serve(application(administrator()));
      const answer = await app.fetch(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('audit-id')).toMatch(/^[-0-9a-f]{36}$/);
    },
  );

  test('The prefix of a mounted control plane may be missing: everything is the API', async () => {
    const app = new Koa();
    app.use(controlPlane.koa(administrator()));
    await using served = await serve(app);
    expect((await served.fetch('/api/v1/namespaces/default')).status).toBe(200);
    expect((await served.fetch('/cluster/version')).status).toBe(404);
  });

  test.each(['cluster', '/cluster/', '/', '/a?b', '/a#b', '//a'])(
    'The prefix of a mounted control plane is refused as %s',
    (prefix) => {
      expect(() => controlPlane.koa({ prefix })).toThrow(TypeError);
    },
  );
});

describe('the caller', () => {
  test('The caller is whom the application has authenticated, with what RBAC gives them', async () => {
    await using app = await serve(
      application({ user: async (ctx) => ({ name: ctx.get('x-name'), groups: ['staff'] }) }),
    );
    const answer = await app.fetch(configMaps, { headers: { 'x-name': 'bob' } });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('User \\"bob\\" cannot list resource \\"configmaps\\"');
    const self = await app.fetch('/cluster/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      method: 'POST',
      headers: { ...json, 'x-name': 'bob' },
      body: '{}',
    });
    expect(await self.json()).toMatchObject({
      status: { userInfo: { username: 'bob', groups: ['staff', 'system:authenticated'] } },
    });
  });

  test('The caller is refused when the application knows no user, whatever credentials the request has', async () => {
    await using app = await serve(application({ user: () => undefined }));
    const answer = await app.fetch('/cluster/version', { headers: bearer() });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ kind: 'Status', reason: 'Unauthorized' });
  });

  test('The caller authenticates itself where the application does not say', async () => {
    await using app = await serve(application());
    expect((await app.fetch('/cluster/version')).status).toBe(401);
    const answer = await app.fetch(configMaps, { headers: bearer() });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('User \\"system:serviceaccount:default:robot\\" cannot list');
  });

  test.each<[name: string, user: () => never]>([
    ['has no name', () => ({ name: '' }) as never],
    [
      'could not be found out',
      () => {
        throw new Error('the session store is away');
      },
    ],
  ])('A caller of a mounted control plane that %s is a mistake of the application', async (_, user) => {
    await using app = await serve(application({ user }));
    expect((await app.fetch('/cluster/version')).status).toBe(500);
  });

  test('The caller acts for another one only where RBAC allows it', async () => {
    await using app = await serve(application({ user: () => ({ name: 'bob' }) }));
    const answer = await app.fetch('/cluster/version', { headers: { 'impersonate-user': 'admin' } });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('cannot impersonate resource \\"users\\"');
  });

  test('The caller with more headers than Node reads is refused, as some may have been dropped', async () => {
    await using app = await serve(application(administrator()));
    const headers = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`x${i}`, '']));
    expect((await app.fetch('/cluster/version', { headers })).status).toBe(431);
  });
});

describe.each([{ isHttp2: false }, { isHttp2: true }])('requests with HTTP/2: $isHttp2', ({ isHttp2 }) => {
  /** @returns status, headers and what comes, over either version */
  function send(
    url: string,
    path: string,
    { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<{ status: number; text(): Promise<string>; pieces: AsyncIterable<Buffer>; leave(): void }> {
    return new Promise((resolve, reject) => {
      const read = async (pieces: AsyncIterable<Buffer>): Promise<string> => {
        let all = '';
        for await (const piece of pieces) all += piece.toString();
        return all;
      };
      if (!isHttp2) {
        const request = http.request(url + path, { method, headers, agent: false });
        request.once('error', reject).once('response', (response) =>
          resolve({
            status: response.statusCode!,
            text: () => read(response),
            pieces: response,
            leave: () => request.destroy(),
          }),
        );
        request.end(body);
        return;
      }
      const session = http2.connect(url);
      session.once('error', reject);
      const stream = session.request(
        { ':method': method, ':path': path, ...headers },
        { endStream: body === undefined },
      );
      stream.once('close', () => session.close());
      stream.once('error', reject).once('response', (response) =>
        resolve({
          status: response[':status']!,
          text: () => read(stream),
          pieces: stream,
          leave: () => stream.close(http2.constants.NGHTTP2_CANCEL),
        }),
      );
      if (body !== undefined) stream.end(body);
    });
  }

  const name = isHttp2 ? 'two' : 'one';

  test('Requests to a mounted control plane with bodies are answered', async () => {
    await using app = await serve(application(administrator()), { isHttp2 });
    const made = await send(app.url, configMaps, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ metadata: { name }, data: { sky: 'blue' } }),
    });
    expect([made.status, JSON.parse(await made.text())]).toEqual([
      201,
      expect.objectContaining({ data: { sky: 'blue' } }),
    ]);
    const listed = await send(app.url, configMaps);
    expect(await listed.text()).toContain(`"name":"${name}"`);
    expect((await send(app.url, `${configMaps}/${name}`, { method: 'DELETE' })).status).toBe(200);
  });

  test('Requests to a mounted control plane with a missing, broken or large body are refused', async () => {
    await using app = await serve(application(administrator()), { isHttp2 });
    const post = async (body?: string): Promise<number> =>
      (await send(app.url, configMaps, { method: 'POST', headers: json, ...(body === undefined ? {} : { body }) }))
        .status;
    expect(await post()).toBe(400);
    expect(await post('{')).toBe(400);
    expect(await post(JSON.stringify({ metadata: { name }, data: { a: 'x'.repeat(4 * 1024 * 1024) } }))).toBe(413);
  });

  test('Watches through a mounted control plane get the head at once and end with their client', async () => {
    await using app = await serve(application(administrator()), { isHttp2 });
    const watch = await send(
      app.url,
      `${configMaps}?watch=true&resourceVersion=0&fieldSelector=metadata.name%3Dseen-${name}`,
    );
    expect(watch.status).toBe(200);
    const open = async (): Promise<string | undefined> =>
      /apiserver_longrunning_requests\{[^}]*resource="configmaps"[^}]*\} (\d+)/.exec(
        await (await send(app.url, '/cluster/metrics')).text(),
      )?.[1];
    expect(await open()).toBe('1');
    await send(app.url, configMaps, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ metadata: { name: `seen-${name}` } }),
    });
    for await (const piece of watch.pieces) {
      expect(JSON.parse(piece.toString())).toMatchObject({
        type: 'ADDED',
        object: { metadata: { name: `seen-${name}` } },
      });
      break;
    }
    watch.leave();
    await vi.waitFor(async () => expect(await open()).toBe('0'), { timeout: 10_000 });
  });
});

describe('the application', () => {
  test('The application may add headers in front, and sees what is answered', async () => {
    const seen: number[] = [];
    const app = new Koa();
    app.use(async (ctx, next) => {
      await next();
      seen.push(ctx.status);
      ctx.set('x-application', 'yes');
    });
    app.use(controlPlane.koa(administrator()));
    await using served = await serve(app);
    const answer = await served.fetch('/api/v1/namespaces/default/configmaps/nothing');
    expect([answer.status, answer.headers.get('x-application'), seen]).toEqual([404, 'yes', [404]]);
  });

  test('The application that reads the body in front gets an error that says so', async () => {
    const app = new Koa();
    app.use(async (ctx, next) => {
      for await (const _ of ctx.req);
      await next();
    });
    app.use(controlPlane.koa(administrator()));
    await using served = await serve(app);
    const answer = await served.fetch('/api/v1/namespaces/default/configmaps', configMap('parsed'));
    expect(answer.status).toBe(500);
  });

  test('The application serves a client whose kubeconfig has the prefix', async () => {
    await using app = await serve(application(administrator()));
    const config = new KubeConfig();
    config.loadFromClusterAndUser({ name: 'c', server: `${app.url}/cluster`, skipTLSVerify: true }, { name: 'u' });
    const api = config.makeApiClient(CoreV1Api);
    await api.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'of-a-client' } } });
    const { items } = await api.listNamespacedConfigMap({ namespace: 'default' });
    expect(items.map(({ metadata }) => metadata?.name)).toContain('of-a-client');
  });

  test('The application has its watches ended and further requests refused when the control plane closes', async () => {
    const own = await createControlPlane({ controllers: false });
    const app = new Koa();
    app.use(own.koa(administrator()));
    await using served = await serve(app);
    const watch = await served.fetch('/api/v1/configmaps?watch=true&fieldSelector=metadata.name%3Dnothing');
    await own.close();
    expect(await watch.text()).toBe('');
    expect((await served.fetch('/api/v1/configmaps')).status).toBe(503);
  });
});

test('The example in the README runs', async () => {
  process.env['PORT'] = '0';
  const example = await import('./koa-example.ts');
  if (!example.server.listening) await once(example.server, 'listening');
  const url = `http://127.0.0.1:${(example.server.address() as AddressInfo).port}`;
  const ask = (path: string, headers = {}): Promise<Response> => fetch(url + path, { headers });
  try {
    expect((await ask('/cluster/api/v1/namespaces', { 'x-name': 'jane' })).status).toBe(200);
    expect((await ask('/cluster/api/v1/namespaces')).status).toBe(401);
    expect(await (await ask('/')).text()).toBe('everything else of the application');
  } finally {
    example.server.closeAllConnections();
    example.server.close();
    await example.controlPlane.close();
  }
});
