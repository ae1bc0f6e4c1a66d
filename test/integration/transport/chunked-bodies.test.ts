import { describe, expect, test } from 'vitest';
import { RawConnection } from '../../support/raw-connection.ts';
import {
  server,
  connection,
  admin,
  host,
  ping,
  request,
  startBeforeTests,
} from '../../support/servers/request-forms.ts';

startBeforeTests();

describe('a body whose chunks are none', () => {
  const configMaps = '/api/v1/namespaces/default/configmaps';
  const chunked = (line: string, ...more: readonly string[]): string =>
    request(line, host, admin, 'Content-Type: application/json', 'Transfer-Encoding: chunked', ...more);
  const post = `POST ${configMaps} HTTP/1.1`;
  const object = '{"metadata":{"name":"broken"}}';
  const whole = `${object.length.toString(16)}\r\n${object}\r\n`;

  test.each([
    { why: 'a length that is none', sent: 'zz\r\nabc\r\n', message: 'invalid byte in chunk length' },
    {
      why: 'a length that is none, behind all that there is',
      sent: `${whole}zz\r\n`,
      message: 'invalid byte in chunk length',
    },
    { why: 'a length below zero', sent: '-5\r\nabcde\r\n', message: 'invalid byte in chunk length' },
    { why: 'a length beyond all numbers', sent: 'fffffffffffffffffff\r\nabc', message: 'http chunk length too large' },
    { why: 'a chunk that is longer than it says', sent: '5\r\n{"apiXX5\r\n', message: 'malformed chunked encoding' },
    // Here upstream shows the line.
    { why: 'a trailer that is none', sent: `${whole}0\r\nbad trailer\r\n\r\n`, message: 'malformed MIME header' },
  ])('A body whose chunks are none is told so, and the connection ends: $why', async ({ sent, message }) => {
    for (const pieces of [
      [chunked(post) + sent],
      [chunked(post), sent],
      [chunked(post, 'Expect: 100-continue'), sent],
    ]) {
      using each = await RawConnection.open(server);
      each.write(pieces[0]!);
      if (pieces[0]!.includes('Expect')) expect((await each.answer()).status).toBe(100);
      if (pieces[1] !== undefined) each.write(pieces[1]);
      const answer = await each.answer();
      expect([answer.status, JSON.parse(answer.body), answer.headers['connection']]).toEqual([
        500,
        { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 },
        'close',
      ]);
      await each.closed;
    }
    expect((await server.send('GET', configMaps)).json<{ items: unknown[] }>().items).toEqual([]);
  });

  test('A body whose chunks are none is ignored where it is not read; the bytes after it are no request', async () => {
    connection.write(chunked('GET /healthz/ping HTTP/1.1'), 'zz\r\n', request(ping, host, admin));
    const answer = await connection.answer();
    expect([answer.status, answer.body, answer.headers['connection']]).toEqual([200, 'ok', 'close']);
    expect(await connection.rest()).toBe('');
  });

  test('A body whose chunks are none does not end a watch', async () => {
    connection.write(chunked(`GET ${configMaps}?watch=1&timeoutSeconds=1&resourceVersion=0 HTTP/1.1`) + 'zz\r\n');
    const rest = await connection.rest();
    expect([rest.split('\r\n', 1)[0], rest.endsWith('0\r\n\r\n')]).toEqual(['HTTP/1.1 200 OK', true]);
  });

  test('Bodies whose chunks are none that end with the connection get no response', async () => {
    connection.write(chunked(post), 'ff\r\n{');
    connection.end();
    await connection.closed;
    expect((await server.send('GET', configMaps)).json<{ items: unknown[] }>().items).toEqual([]);
  });
});
