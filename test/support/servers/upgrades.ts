/**
 * What test files share that start the same server: `startBeforeTests` starts it before the tests of a file, and closes
 * it after them.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { RawConnection } from '../raw-connection.ts';
import { startTestServer, type TestServer } from '../test-server.ts';

export let server: TestServer;

export let connection: RawConnection;

export const configMaps = '/api/v1/namespaces/default/configmaps';

export const watch = `${configMaps}?watch=true&fieldSelector=metadata.name%3Dfirst`;

export function startBeforeTests(): void {
  beforeAll(async () => {
    server = await startTestServer({ flags: ['--anonymous-auth=true', '--authorization-mode=RBAC'] });
    expect(
      (await server.send('POST', configMaps, { body: { metadata: { name: 'first' }, data: { secret: 'hidden' } } }))
        .status,
    ).toBe(201);
  });

  afterAll(() => server[Symbol.asyncDispose]());

  beforeEach(async () => {
    connection = await RawConnection.open(server);
  });

  afterEach(async () => {
    connection[Symbol.dispose]();
    expect((await server.send('GET', `${configMaps}/first`)).status).toBe(200);
  });
}

export const admin = 'Authorization: Bearer admintoken';

export const alice = 'Authorization: Bearer alicetoken';

export const webSocket = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  'Sec-WebSocket-Version: 13',
  'Origin: https://localhost',
];

export const spdy = ['Connection: Upgrade', 'Upgrade: SPDY/3.1'];

export const h2c = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];

export const request = (path: string, headers: readonly string[], { method = 'GET', body = '' } = {}): string =>
  `${method} ${path} HTTP/1.1\r\n${['Host: localhost', ...headers].join('\r\n')}\r\n\r\n${body}`;
