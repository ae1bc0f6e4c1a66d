/** Ways in that must not be there. Each row says why it is refused. */
import tls from 'node:tls';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { type Call } from '../../support/caller.ts';
import { server, secretText, as, secrets, startBeforeTests } from '../../support/servers/secrets-of-others.ts';

startBeforeTests();

test('What jane may do, she can: the refusals below are no accident', async () => {
  await expect
    .poll(
      async () => (await server.call({ path: '/api/v1/namespaces/default/configmaps', headers: as('jane') })).status,
    )
    .toBe(200);
});

describe('without a good credential', () => {
  test.each<{ why: string; call: Call }>([
    { why: 'no credential', call: {} },
    {
      why: 'headers of a front proxy without its certificate',
      call: { headers: ['X-Remote-User', 'admin', 'X-Remote-Group', 'system:masters'] },
    },
    { why: 'the same in another spelling', call: { headers: ['x-REMOTE-user', 'admin', 'X_Remote_User', 'admin'] } },
    {
      why: 'two Authorization headers, the good one first',
      call: { headers: [...as('admin'), 'authorization', 'Bearer x'] },
    },
    {
      why: 'two Authorization headers, the good one last',
      call: { headers: ['authorization', 'Bearer x', ...as('admin')] },
    },
    { why: 'a token in the query', call: { path: '/api?access_token=admin-token&token=admin-token' } },
    {
      why: 'a token as a password',
      call: { headers: ['authorization', `Basic ${Buffer.from('admin:admin-token').toString('base64')}`] },
    },
    { why: 'part of a token', call: { headers: ['authorization', 'Bearer admin-toke'] } },
    {
      why: 'a token in a subprotocol of what is no WebSocket',
      call: {
        headers: [
          'sec-websocket-protocol',
          `a, base64url.bearer.authorization.k8s.io.${Buffer.from('admin-token').toString('base64url')}`,
        ],
      },
    },
    {
      why: 'an impersonation header',
      call: { headers: ['Impersonate-User', 'admin', 'Impersonate-Group', 'system:masters'] },
    },
  ])('401 for $why', async ({ call }) => {
    expect((await server.call(call)).status).toBe(401);
  });

  test('An upgrade does not pass beside the filters', async () => {
    for (const upgrade of ['websocket', 'SPDY/3.1', 'h2c']) {
      const socket = tls.connect({
        port: Number(new URL(server.url).port),
        host: '127.0.0.1',
        servername: 'localhost',
        ca: server.ca,
      });
      await once(socket, 'secureConnect');
      let answer = '';
      socket.on('data', (chunk) => (answer += String(chunk)));
      socket.on('error', () => undefined);
      socket.write(
        `GET ${secrets}/hidden HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade, close\r\n` +
          `upgrade: ${upgrade}\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n` +
          `\r\n`,
      );
      await once(socket, 'close');
      expect([answer.includes(' 101 '), answer.includes(' 200 '), answer.includes(secretText)]).toEqual([
        false,
        false,
        false,
      ]);
    }
  });
});

describe('a request hidden in another one', () => {
  const hidden =
    `GET ${secrets}/hidden HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer admin-token\r\n` +
    `connection: close\r\n\r\n`;
  const body = (head: string, content: string): string =>
    `POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nhost: localhost\r\ncontent-type: ` +
    `application/json\r\n${head}\r\n\r\n${content}`;
  const length = `content-length: ${hidden.length}`;

  /** All that comes back until the connection ends. */
  async function sendRaw(text: string): Promise<string> {
    const socket = tls.connect({
      port: Number(new URL(server.url).port),
      host: '127.0.0.1',
      servername: 'localhost',
      ca: server.ca,
      ALPNProtocols: ['http/1.1'],
    });
    await once(socket, 'secureConnect');
    let answer = '';
    socket.on('data', (chunk) => (answer += String(chunk)));
    socket.on('error', () => undefined);
    socket.write(text);
    await once(socket, 'close');
    return answer;
  }

  test('The hidden one would be answered on its own: the refusals below are no accident', async () => {
    expect(await sendRaw(hidden)).toContain(Buffer.from(secretText).toString('base64'));
  });

  test.each<{ why: string; text: string }>([
    {
      why: 'a body in pieces has no length',
      text: body(`${length}\r\ntransfer-encoding: chunked`, `0\r\n\r\n${hidden}`),
    },
    {
      why: 'nor the other way round',
      text: body(`transfer-encoding: chunked\r\ncontent-length: 5`, `0\r\n\r\n${hidden}`),
    },
    { why: 'a body has one length', text: body(`content-length: 0\r\n${length}`, hidden) },
    { why: 'a length is a number', text: body(`content-length: +0`, hidden) },
    { why: 'pieces are the last coding', text: body(`transfer-encoding: chunked, identity`, `0\r\n\r\n${hidden}`) },
    { why: 'no such coding is known', text: body(`transfer-encoding: xchunked`, `0\r\n\r\n${hidden}`) },
    { why: 'a name ends at its colon', text: body(`transfer-encoding : chunked\r\n${length}`, hidden) },
    { why: 'a piece has the size that it says', text: body('transfer-encoding: chunked', `1;\n${hidden}`) },
    {
      why: 'a header has no line break',
      text: `GET /api HTTP/1.1\r\nhost: localhost\r\nx-note: a\rauthorization: Bearer admin-token\r\n\r\n`,
    },
    {
      why: 'a header has no zero byte',
      text: `GET /api HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer admin-token\0\r\n\r\n`,
    },
    {
      why: 'a header that goes on in the next line is part of it',
      text:
        `GET /api HTTP/1.1\r\nhost: localhost\r\nx-note: a\r\n authorization: Bearer admin-token\r\n` +
        `connection: close\r\n\r\n`,
    },
    { why: 'the body of an unauthenticated request is no request', text: body(length, hidden) },
  ])('A request hidden in another one is none: $why', async ({ text }) => {
    const answer = await sendRaw(text);
    // A refusal, or, to what is no HTTP, an end of the connection; and never two answers.
    expect(answer).toMatch(/^(HTTP\/1\.1 (40[01]|501) |$)/);
    expect([
      answer.split('HTTP/1.1 ').length <= 2,
      answer.includes(Buffer.from(secretText).toString('base64')),
    ]).toEqual([true, false]);
  });
});
