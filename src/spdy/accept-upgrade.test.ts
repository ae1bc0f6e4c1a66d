import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AcceptOptions, acceptUpgrade } from './accept-upgrade.ts';
import { SpdyConnection } from './connection.ts';

let server: http.Server;
let options: AcceptOptions;

beforeEach(async () => {
  options = { protocols: ['v4.channel.k8s.io', 'v3.channel.k8s.io'] };
  server = http.createServer();
  server.on('upgrade', (request, socket, head) => {
    const accepted = acceptUpgrade(request, socket, head, options);
    accepted?.connection.on('stream', (stream) => {
      stream.reply();
      stream.write(accepted.protocol);
      stream.pipe(stream);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const ask = (headers: http.OutgoingHttpHeaders): http.ClientRequest => {
  const request = http.request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', headers });
  request.end();
  return request;
};
const upgrade = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };

describe('SPDY over a connection of an HTTP server', () => {
  test.each([
    { name: 'several', value: ['v5.channel.k8s.io', 'v3.channel.k8s.io', 'v4.channel.k8s.io'] },
    { name: 'one with commas', value: 'v5.channel.k8s.io, v3.channel.k8s.io' },
  ])('The first protocol that a client wants and the server knows is spoken, in headers: $name', async ({ value }) => {
    const request = ask({ ...upgrade, 'x-stream-protocol-version': value });
    const [response, socket, head] = (await once(request, 'upgrade')) as [http.IncomingMessage, Socket, Buffer];
    expect(response.headers).toMatchObject({
      upgrade: 'SPDY/3.1',
      'x-stream-protocol-version': 'v3.channel.k8s.io',
    });
    const client = new SpdyConnection(socket, { side: 'client', head });
    const stream = client.open(new Map([['streamtype', ['data']]]));
    stream.end(' it is');
    expect(await text(stream)).toBe('v3.channel.k8s.io it is');
    client.close();
  });

  test('A client that names no protocol speaks the one without a name, where there is one', async () => {
    options = { ...options, unnamed: 'v1' };
    const [response, socket] = (await once(ask(upgrade), 'upgrade')) as [http.IncomingMessage, Socket];
    expect(response.headers['x-stream-protocol-version']).toBeUndefined();
    socket.destroy();
  });

  test.each([
    {
      name: 'names no protocol',
      headers: upgrade,
      expected: [400, 'unable to upgrade: X-Stream-Protocol-Version is required\n'],
    },
    {
      name: 'wants none that the server knows',
      headers: { ...upgrade, 'x-stream-protocol-version': ['a', 'b'] },
      expected: [
        403,
        'unable to upgrade: unable to negotiate protocol: client supports [a b], server accepts ' +
          '[v4.channel.k8s.io v3.channel.k8s.io]\n',
      ],
    },
    {
      name: 'wants something other than SPDY/3.1',
      headers: { connection: 'Upgrade', upgrade: 'spdy/2' },
      expected: [400, 'unable to upgrade: missing upgrade headers in request\n'],
    },
  ])('A client that $name is refused with the reason', async ({ headers, expected }) => {
    const [response] = (await once(ask(headers), 'response')) as [http.IncomingMessage];
    expect([response.statusCode, await text(response)]).toEqual(expected);
  });
});
