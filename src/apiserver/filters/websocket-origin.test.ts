import { describe, expect, test } from 'vitest';
import { type ApiResponse, type Exchange } from '../../server/exchange.ts';
import { ApiRequest } from '../request/request.ts';
import { checkWebSocketOrigin } from './websocket-origin.ts';

const ok: ApiResponse = { status: 101, headers: {} };

function ask(
  headers: Readonly<Record<string, string>>,
  upgrade: string | undefined = 'websocket',
  allowed: readonly string[] = [],
): Promise<ApiResponse> {
  const exchange = {
    method: 'GET',
    target: '/',
    upgrade,
    header: (name: string) => headers[name],
  } as unknown as Exchange;
  return checkWebSocketOrigin(allowed)(new ApiRequest(exchange, '/', new URLSearchParams(), 'audit-1', 0), () =>
    Promise.resolve(ok),
  );
}

describe('a WebSocket', () => {
  test.each<{ name: string; host?: string; origin: string | undefined; allowed?: string[] }>([
    { name: 'of the host that is asked', origin: 'https://api.example.com:6443' },
    { name: 'of the same host in other letters', origin: 'https://API.Example.com:6443' },
    { name: 'of the host whose port is the default one', host: 'api.example.com', origin: 'https://api.example.com' },
    {
      name: 'of the host whose default port the client says',
      host: 'api.example.com:443',
      origin: 'https://api.example.com',
    },
    { name: 'of an address', host: '[::1]:6443', origin: 'https://[::1]:6443' },
    {
      name: 'of an origin that is listed',
      origin: 'https://ui.example.com',
      allowed: ['^https://other$', '//ui\\.example\\.com(:|$)'],
    },
    { name: 'of a client that is no browser', origin: undefined },
  ])('A WebSocket is opened for a page $name', async ({ host = 'api.example.com:6443', origin, allowed }) => {
    expect(await ask({ host, ...(origin === undefined ? {} : { origin }) }, 'websocket', allowed)).toBe(ok);
  });

  test.each<{ name: string; host?: string; origin: string; upgrade?: string; allowed?: string[] }>([
    { name: 'of another host', origin: 'https://evil.example.com' },
    { name: 'of another port', origin: 'https://api.example.com' },
    { name: 'that came without TLS', origin: 'http://api.example.com:6443' },
    { name: 'of a host that begins with this one', origin: 'https://api.example.com:6443.evil.org' },
    { name: 'with this host as a user', origin: 'https://api.example.com:6443@evil.org' },
    { name: 'of no origin that can be told', origin: 'null' },
    { name: 'with a path for an origin', origin: '/' },
    { name: 'with nothing for an origin', origin: '' },
    { name: 'of an origin that is not listed', origin: 'https://evil.org', allowed: ['//ui\\.example\\.com(:|$)'] },
    { name: 'where the client says no host', host: '', origin: 'https://' },
    {
      name: 'that would take another protocol as well',
      origin: 'https://evil.example.com',
      upgrade: 'foo/1, websocket',
    },
  ])(
    'A WebSocket is not opened for a page $name',
    async ({ host = 'api.example.com:6443', origin, upgrade, allowed }) => {
      await expect(ask({ host, origin }, upgrade, allowed)).resolves.toMatchObject({
        status: 403,
        headers: { connection: 'close' },
      });
    },
  );
});

test.each([undefined, 'spdy/3.1', 'h2c'])('What is no WebSocket is not judged by its origin: %s', async (upgrade) => {
  const exchange = {
    method: 'GET',
    target: '/',
    upgrade,
    header: () => 'https://evil.example.com',
  } as unknown as Exchange;
  expect(
    await checkWebSocketOrigin([])(new ApiRequest(exchange, '/', new URLSearchParams(), 'audit-1', 0), () =>
      Promise.resolve(ok),
    ),
  ).toBe(ok);
});
