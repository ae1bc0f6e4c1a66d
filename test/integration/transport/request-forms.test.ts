/**
 * HTTP/1.1 as bytes: malformed and unsupported requests, and the kinds of request targets. Answers as seen with
 * kube-apiserver 1.20 unless a row says otherwise.
 */
import { describe, expect, test } from 'vitest';
import { connection, admin, host, ping, request, startBeforeTests } from '../../support/servers/request-forms.ts';

startBeforeTests();

const mebibyte = 1 << 20;

describe('is refused in a line of text, and the connection ends', () => {
  const badRequest = '400 Bad Request';
  const encoding = { status: '501 Not Implemented', text: 'Unsupported transfer encoding' };
  test.each<{ why: string; sent: string; status: string; text?: string }>([
    // Too much
    {
      why: 'more headers than a request may have',
      sent: request(ping, host, admin, `X-Big: ${'x'.repeat(mebibyte + 5000)}`),
      status: '431 Request Header Fields Too Large',
    },
    {
      why: 'a target that is longer than that',
      sent: request(`GET /version?x=${'y'.repeat(mebibyte + 5000)} HTTP/1.1`, host, admin),
      status: '431 Request Header Fields Too Large',
    },
    // First lines
    { why: 'a word', sent: request('garbage', host, admin), status: badRequest },
    { why: 'a line that begins with a space', sent: request(` ${ping}`, host, admin), status: badRequest },
    { why: 'a method that is no token', sent: request('G@T /version HTTP/1.1', host, admin), status: badRequest },
    { why: 'another protocol', sent: request('GET /version HTTQ/1.1', host, admin), status: badRequest },
    { why: 'a protocol in lower case', sent: request('GET /version http/1.1', host, admin), status: badRequest },
    {
      why: 'a version that is spoken otherwise',
      sent: request('GET /version HTTP/2.0', host, admin),
      status: `${badRequest}: unsupported protocol version`,
    },
    {
      why: 'a version from before headers',
      sent: request('GET /version HTTP/0.9', host, admin),
      status: `${badRequest}: unsupported protocol version`,
    },
    { why: 'a space in the target', sent: request('GET /a b HTTP/1.1', host, admin), status: badRequest },
    { why: 'a space behind the version', sent: request(`${ping} `, host, admin), status: badRequest },
    { why: 'a target without a slash', sent: request('GET version HTTP/1.1', host, admin), status: badRequest },
    {
      why: 'a control character in the target',
      sent: request('GET /vers\x01ion HTTP/1.1', host, admin),
      status: badRequest,
    },
    {
      why: 'a target with a broken escape',
      sent: request('GET /healthz/%zz HTTP/1.1', host, admin),
      status: badRequest,
    },
    // Here upstream sends its text, which a client takes for the beginning of an answer to nothing (RFC 9110 section
    // 9.3.2).
    {
      why: 'a question for the head of a broken target, without the text',
      sent: request('HEAD /healthz/%zz HTTP/1.1', host, admin),
      status: badRequest,
      text: '',
    },
    { why: 'a whole URL that is none', sent: request('GET https://[bad/ HTTP/1.1', host, admin), status: badRequest },
    // Hosts
    { why: 'no host', sent: request(ping, admin), status: `${badRequest}: missing required Host header` },
    {
      why: 'no host beside a whole URL',
      sent: request('GET https://localhost/version HTTP/1.1', admin),
      status: `${badRequest}: missing required Host header`,
    },
    { why: 'a host twice', sent: request(ping, host, host, admin), status: `${badRequest}: too many Host headers` },
    {
      why: 'two hosts for a WebSocket',
      sent: request(ping, host, 'Host: b', admin, 'Connection: Upgrade', 'Upgrade: websocket'),
      status: `${badRequest}: too many Host headers`,
    },
    {
      why: 'a host with a space',
      sent: request(ping, 'Host: a b', admin),
      status: `${badRequest}: malformed Host header`,
    },
    {
      why: 'a host with a path',
      sent: request(ping, 'Host: a/b', admin),
      status: `${badRequest}: malformed Host header`,
    },
    // Headers
    {
      why: 'a header name with a space',
      sent: request(ping, host, admin, 'X Y: 1'),
      status: `${badRequest}: invalid header name`,
    },
    {
      why: 'a space before the colon',
      sent: request(ping, host, admin, 'X-Y : 1'),
      status: `${badRequest}: invalid header name`,
    },
    {
      why: 'a control character in a header',
      sent: request(ping, host, admin, 'X-Y: a\x01b'),
      status: `${badRequest}: invalid header value`,
    },
    {
      why: 'a zero in a header',
      sent: request(ping, host, admin, 'X-Y: a\0b'),
      status: `${badRequest}: invalid header value`,
    },
    { why: 'a first header that continues nothing', sent: request(ping, ' X: 1', host, admin), status: badRequest },
    // Lengths
    { why: 'a length that is no number', sent: request(ping, host, admin, 'Content-Length: x'), status: badRequest },
    { why: 'a negative length', sent: request(ping, host, admin, 'Content-Length: -1'), status: badRequest },
    {
      why: 'two lengths',
      sent: request(ping, host, admin, 'Content-Length: 1', 'Content-Length: 2'),
      status: badRequest,
    },
    {
      why: 'a length beyond all numbers',
      sent: request(ping, host, admin, 'Content-Length: 99999999999999999999'),
      status: badRequest,
    },
    // Encodings
    {
      why: 'an unknown encoding',
      sent: request('POST /version HTTP/1.1', host, admin, 'Transfer-Encoding: gzip'),
      ...encoding,
    },
    {
      why: 'an encoding below chunks',
      sent: `${request('POST /version HTTP/1.1', host, admin, 'Transfer-Encoding: gzip, chunked')}0\r\n\r\n`,
      ...encoding,
    },
    {
      why: 'no encoding in many words',
      sent: request('POST /version HTTP/1.1', host, admin, 'Transfer-Encoding: identity'),
      ...encoding,
    },
    { why: 'an empty encoding', sent: request(ping, host, admin, 'Transfer-Encoding:'), ...encoding },
    {
      why: 'chunks twice',
      sent:
        request('POST /version HTTP/1.1', host, admin, 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked') +
        '0\r\n\r\n',
      ...encoding,
    },
    // Here upstream goes by the chunks. RFC 9112 section 6.3 lets a server choose, and a proxy in front may have gone
    // by the length.
    {
      why: 'a length and chunks',
      sent: `${request(ping, host, admin, 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      ...encoding,
    },
    // Here upstream answers: methods can have any name there.
    {
      why: 'a method that the runtime does not know',
      sent: request('BREW /healthz/ping HTTP/1.1', host, admin),
      status: badRequest,
    },
  ])(
    'An HTTP/1.1 request is refused in a line of text, and the connection ends: $why',
    async ({ sent, status, text = status }) => {
      expect(await connection.write(sent).rest()).toBe(
        `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${text}`,
      );
    },
  );

  test('A bad request behind requests that are in order is refused after they are answered', async () => {
    connection.write(
      request(ping, host, admin) +
        request('GET /apis HTTP/1.1', host, admin) +
        request(ping, host, host) +
        request('GET /version HTTP/1.1', host, admin),
    );
    expect([(await connection.answer()).body, (await connection.answer()).status]).toEqual(['ok', 200]);
    const rest = await connection.rest();
    expect(rest).toMatch(/^HTTP\/1.1 400 Bad Request: too many Host headers\r\n/);
    expect(rest).not.toContain('gitVersion');
  });

  test('An expectation that no server knows has no text', async () => {
    connection.write(request(ping, host, admin, 'Expect: the-best'));
    expect(await connection.answer()).toMatchObject({
      status: 417,
      headers: { connection: 'close', 'content-length': '0' },
      body: '',
    });
    await connection.closed;
  });
});

describe('is answered, and the connection goes on', () => {
  test.each<{ why: string; sent: string; status: number; body?: string }>([
    {
      why: 'almost as many headers as a request may have',
      sent: request(ping, host, admin, `X-Big: ${'x'.repeat(mebibyte - 200)}`),
      status: 200,
      body: 'ok',
    },
    {
      why: 'three thousand headers',
      sent: request(ping, host, admin, ...Array.from({ length: 3000 }, (_, i) => `X-${i}: 1`)),
      status: 200,
      body: 'ok',
    },
    { why: 'an empty host', sent: request(ping, 'Host:', admin), status: 200, body: 'ok' },
    { why: 'a host with a port', sent: request(ping, 'Host: [::1]:6443', admin), status: 200, body: 'ok' },
    { why: 'a tab in a header', sent: request(ping, host, admin, 'X-Y: a\tb'), status: 200, body: 'ok' },
    { why: 'bytes beyond ASCII in a header', sent: request(ping, host, admin, 'X-Y: \xe4'), status: 200, body: 'ok' },
    {
      why: 'a query that cannot be decoded',
      sent: request('GET /healthz/ping?%zz=1 HTTP/1.1', host, admin),
      status: 200,
      body: 'ok',
    },
    {
      why: 'chunks where there is nothing to say',
      sent: `${request(ping, host, admin, 'Transfer-Encoding: Chunked')}0\r\n\r\n`,
      status: 200,
      body: 'ok',
    },
    {
      why: 'HTTP/1.0 without a host',
      sent: request('GET /healthz/ping HTTP/1.0', admin, 'Connection: keep-alive'),
      status: 200,
      body: 'ok',
    },
    // A whole URL (RFC 9112 section 3.2.2)
    {
      why: 'a whole URL',
      sent: request('GET https://localhost/healthz/ping HTTP/1.1', host, admin),
      status: 200,
      body: 'ok',
    },
    {
      why: 'a whole URL of another scheme',
      sent: request('GET http://localhost/healthz/ping HTTP/1.1', host, admin),
      status: 200,
      body: 'ok',
    },
    {
      why: 'a whole URL of another host and port',
      sent: request('GET https://example.com:99/healthz/ping?a=b HTTP/1.1', host, admin),
      status: 200,
      body: 'ok',
    },
    {
      why: 'a whole URL of an API',
      sent: request('GET https://localhost/api HTTP/1.1', host, admin),
      status: 200,
      body: '"kind":"APIVersions"',
    },
    {
      why: 'a whole URL without credentials',
      sent: request('GET https://localhost/api/v1/pods HTTP/1.1', host),
      status: 403,
      body: 'pods is forbidden',
    },
    { why: 'a whole URL without a path', sent: request('GET https://localhost HTTP/1.1', host, admin), status: 404 },
    // The server as such (RFC 9112 section 3.2.4)
    { why: 'OPTIONS *', sent: request('OPTIONS * HTTP/1.1', host, admin), status: 200, body: '' },
    { why: 'OPTIONS * without credentials', sent: request('OPTIONS * HTTP/1.1', host), status: 200, body: '' },
    { why: 'GET *, which is no path', sent: request('GET * HTTP/1.1', host, admin), status: 404 },
    {
      why: 'GET * without credentials',
      sent: request('GET * HTTP/1.1', host),
      status: 403,
      body: 'cannot get path \\"*\\"',
    },
  ])(
    'An HTTP/1.1 request is answered, and the connection goes on: $why',
    async ({ sent, status, body = '404 page not found' }) => {
      const answer = await connection.write(sent).answer();
      expect(answer).toMatchObject({ status, body: body === '' ? '' : (expect.stringContaining(body) as string) });
      expect((await connection.write(request('GET /version HTTP/1.1', host, admin)).answer()).status).toBe(200);
    },
  );
});
