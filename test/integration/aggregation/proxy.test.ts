/** Requests for group versions of other servers, passed on to them. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import type { Http2ServerResponse } from 'node:http2';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ExtensionBackend, valuesOf } from '../../support/extension-backend.ts';
import { base, things, files, users, register, startBeforeTests } from '../../support/servers/aggregated-things.ts';

startBeforeTests();

describe.each([
  { version: '2.0', http2: true },
  { version: '1.1', http2: false },
])('over HTTP/$version to the backend', ({ version, http2: speaksHttp2 }) => {
  let backend: ExtensionBackend;
  beforeAll(async () => {
    backend = await ExtensionBackend.start({ files, http2: speaksHttp2 });
    await register(backend);
  });
  afterAll(() => backend[Symbol.asyncDispose]());
  beforeEach(() => {
    backend.received.length = 0;
    backend.answer = (_, response) => void response.end('{"kind":"Answer"}\n');
  });

  test('The forwarded request names the user, without credentials and user headers of the client', async () => {
    const answer = await users.call('alice', 'POST', `${things}?dryRun=All&fieldManager=me%20too`, {
      body: { kind: 'Thing' },
      headers: {
        'x-remote-user': 'admin',
        'x-remote-group': 'system:masters',
        'x-remote-extra-scopes': 'all',
        'x-remote-uid': 'u',
        'x-custom': 'kept',
        'x-private': 'dropped',
        connection: 'x-private',
        'x-forwarded-for': '192.0.2.1',
        'x-forwarded-host': 'elsewhere',
        'accept-encoding': 'identity',
        cookie: 'a=b',
        'audit-id': 'my-audit-id',
      },
    });
    expect([answer.status, answer.body]).toEqual([200, '{"kind":"Answer"}\n']);
    expect(answer.headers['audit-id']).toBe('my-audit-id');
    const [received] = backend.received;
    expect(received).toMatchObject({
      method: 'POST',
      target: `${things}?dryRun=All&fieldManager=me+too`,
      httpVersion: version,
      body: '{"kind":"Thing"}',
    });
    const seen = (name: string): string[] => valuesOf(received!, name);
    expect({
      user: seen('x-remote-user'),
      groups: seen('x-remote-group'),
      uid: seen('x-remote-uid'),
      extra: seen('x-remote-extra-scopes'),
    }).toEqual({ user: ['alice'], groups: ['devs', 'qa', 'system:authenticated'], uid: [], extra: [] });
    expect([seen('authorization'), seen('x-private'), seen('x-custom'), seen('cookie'), seen('audit-id')]).toEqual([
      [],
      [],
      ['kept'],
      ['a=b'],
      ['my-audit-id'],
    ]);
    expect(seen('x-forwarded-for')[0]).toMatch(/^192\.0\.2\.1, .*127\.0\.0\.1$/);
    expect([seen('x-forwarded-host'), seen('x-forwarded-proto'), seen('x-forwarded-uri')]).toEqual([
      [`localhost:${backend.port}`],
      ['https'],
      [things],
    ]);
    expect(received!.client).toBe(new X509Certificate(await readFile(files.clientFiles.certificate)).fingerprint256);
  });

  test('The forwarded request names the impersonated user; values that headers cannot have are encoded', async () => {
    await users.call('admin', 'GET', things, {
      headers: {
        'impersonate-user': 'jane',
        'impersonate-group': 'devs',
        'impersonate-extra-example.com%2fscope': 'x',
      },
    });
    const [received] = backend.received;
    expect([
      valuesOf(received!, 'x-remote-user'),
      valuesOf(received!, 'x-remote-group'),
      valuesOf(received!, 'x-remote-extra-example.com%2fscope'),
    ]).toEqual([['jane'], ['devs', 'system:authenticated'], ['x']]);
    expect(received!.raw.filter((name) => name.toLowerCase().startsWith('impersonate'))).toEqual([]);
  });

  test('A user without the right is refused here, and the aggregated server gets no request', async () => {
    const answer = await users.call('bob', 'GET', things);
    expect([answer.status, answer.body.message]).toEqual([
      403,
      'things.agg.example.com is forbidden: User "bob" cannot list resource "things" in API group ' +
        '"agg.example.com" in the namespace "default"',
    ]);
    expect(backend.received).toEqual([]);
  });

  test('Status, headers and body of a backend come back, without its hop-by-hop headers', async () => {
    backend.answer = (_, response) => {
      response.writeHead(418, {
        'content-type': 'application/json',
        'x-kind': 'tea',
        warning: '299 - "old"',
        'access-control-allow-origin': '*',
        'audit-id': 'theirs',
        ...(speaksHttp2 ? {} : { connection: 'x-hop', 'x-hop': '1' }),
      });
      response.end('{"a":1}');
    };
    const answer = await users.call('alice', 'GET', things);
    expect([answer.status, answer.body, answer.headers['x-kind'], answer.headers['warning']]).toEqual([
      418,
      { a: 1 },
      'tea',
      '299 - "old"',
    ]);
    expect([answer.headers['access-control-allow-origin'], answer.headers['x-hop']]).toEqual([undefined, undefined]);
    expect(answer.headers['audit-id']).not.toBe('theirs');
  });

  test('An answer without a body, and a HEAD', async () => {
    backend.answer = (_, response) => {
      response.writeHead(204);
      response.end();
    };
    expect((await users.call('alice', 'DELETE', `${things}/a`)).status).toBe(204);
    backend.answer = (_, response) => {
      response.writeHead(200, { 'content-length': '7' });
      response.end();
    };
    const head = await users.call('alice', 'HEAD', `${things}/a`);
    expect([head.status, head.headers['content-length'], head.body]).toEqual([200, '7', '']);
  });

  test('A redirect is not passed on', async () => {
    backend.answer = (_, response) => {
      response.writeHead(302, { location: 'https://192.0.2.1/' });
      response.end('secret');
    };
    const answer = await users.call('alice', 'GET', things);
    expect([answer.status, answer.body, answer.headers['location']]).toEqual([
      502,
      'the backend attempted to redirect this request, which is not permitted',
      undefined,
    ]);
    backend.answer = (_, response) => {
      response.writeHead(300);
      response.end('choices');
    };
    expect((await users.call('alice', 'GET', things)).body).toBe('choices');
  });

  test('A watch comes piece by piece, and ends at the backend when the client goes', async () => {
    const opened = new Promise<Http2ServerResponse>(
      (resolve) =>
        (backend.answer = (_, response) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.write('{"n":1}\n');
          resolve(response);
        }),
    );
    const [outgoing, incoming] = await open('alice', `${things}?watch=1`);
    const pieces = incoming[Symbol.asyncIterator]();
    expect(String((await pieces.next()).value)).toBe('{"n":1}\n');
    const response = await opened;
    response.write('{"n":2}\n');
    expect(String((await pieces.next()).value)).toBe('{"n":2}\n');
    const closed = once(response, 'close');
    outgoing.destroy();
    await closed;
  });

  test('An answer that breaks off breaks off for the client too', async () => {
    backend.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"n":1}\n');
      setImmediate(() => backend.drop());
    };
    const [, incoming] = await open('alice', things);
    await expect(incoming.toArray()).rejects.toThrow('aborted');
    const metrics = String((await users.call('admin', 'GET', '/metrics')).body);
    expect(metrics).toMatch(
      /apiserver_request_aborts_total\{[^}]*verb="LIST",group="agg.example.com",version="v1"[^}]*\} \d/,
    );
    expect(metrics).not.toMatch(/apiserver_request_total\{[^}]*group="agg.example.com"[^}]*code="200"/);
  });

  test('A client that takes nothing holds up the backend, not this server', async () => {
    let written = 0;
    const total = 64 * 1024 * 1024;
    const full = new Promise<void>(
      (resolve) =>
        (backend.answer = async (_, response) => {
          response.writeHead(200);
          const piece = Buffer.alloc(256 * 1024, 'x');
          while (written < total) {
            written += piece.length;
            if (response.write(piece)) continue;
            // Too early on a busy machine: then less is shown, but nothing wrong.
            const timer = setTimeout(resolve, 500);
            await once(response, 'drain');
            clearTimeout(timer);
          }
          response.end();
          resolve();
        }),
    );
    const [, incoming] = await open('alice', things);
    await full;
    expect(written).toBeLessThan(total / 2);
    let length = 0;
    for await (const chunk of incoming) length += (chunk as Buffer).length;
    expect(length).toBe(total);
  });

  test('A large upload goes through as it comes', async () => {
    const body = 'y'.repeat(8 * 1024 * 1024);
    backend.answer = (_, response, received) => void response.end(String(received.body.length));
    expect((await users.call('alice', 'POST', things, { body })).body).toBe(String(body.length));
  });

  test('A request is repeated once when the connection that it was sent on had just been closed', async () => {
    await users.call('alice', 'GET', things);
    let refusals = 1;
    backend.received.length = 0;
    backend.answer = (request, response) => {
      if (refusals-- > 0) return void request.socket.destroy();
      response.end('again');
    };
    expect((await users.call('alice', 'GET', things)).body).toBe('again');
    refusals = 1;
    backend.received.length = 0;
    const post = await users.call('alice', 'POST', things, { body: {} });
    expect([post.status, post.body, backend.received.length]).toEqual([503, 'error trying to reach service: EOF\n', 1]);
  });

  test('Many requests to a backend at once, more than one connection takes, are answered', async () => {
    backend.answer = (_, response, { target }) => void response.end(target);
    const names = Array.from({ length: speaksHttp2 ? 150 : 30 }, (_, i) => `${things}/n${i}`);
    const session = http2.connect(users.url, { rejectUnauthorized: false });
    try {
      expect((await Promise.all(names.map((name) => ask(session, 'alice', name)))).map(({ body }) => body)).toEqual(
        names,
      );
    } finally {
      session.destroy();
    }
  });

  test.each([
    { name: 'a segment of dots', path: `${things}/../../../../../../metrics` },
    { name: 'encoded dots', path: `${things}/%2e%2e/%2e%2e/secrets` },
    { name: 'an empty segment', path: `${base}/namespaces//things/x` },
  ])('A path that others may read differently is none: $name', async ({ path }) => {
    const answer = await raw('admin', path);
    expect([answer.status, backend.received]).toEqual([404, []]);
  });

  test('A path reaches the backend in one spelling', async () => {
    await raw('admin', `${things}/a%20b%2Fc%3Fd`);
    expect(backend.received.map(({ target }) => target)).toEqual([`${things}/a%20b/c%3Fd`]);
  });
});

/** Opens an answer without reading it. */
async function open(user: string, path: string): Promise<[ReturnType<typeof https.request>, IncomingMessage]> {
  const outgoing = https.request(`${users.url}${path}`, {
    rejectUnauthorized: false,
    agent: false,
    headers: { authorization: `Bearer token-${user}` },
  });
  outgoing.on('error', () => undefined);
  outgoing.end();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return [outgoing, incoming];
}

/** With the path as it is, over HTTP/2. */
async function raw(user: string, path: string): Promise<{ status: number; body: string }> {
  const session = http2.connect(users.url, { rejectUnauthorized: false });
  try {
    return await ask(session, user, path);
  } finally {
    session.destroy();
  }
}

async function ask(
  session: http2.ClientHttp2Session,
  user: string,
  path: string,
): Promise<{ status: number; body: string }> {
  const stream = session.request({ ':path': path, authorization: `Bearer token-${user}` });
  const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
  return { status: Number(headers[':status']), body: Buffer.concat((await stream.toArray()) as Buffer[]).toString() };
}
