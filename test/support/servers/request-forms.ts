/**
 * What test files share that start the same server: `startBeforeTests` starts it before the tests of a file, and closes
 * it after them.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { RawConnection } from '../raw-connection.ts';
import { startTestServer, type TestServer } from '../test-server.ts';

export let server: TestServer;

export let connection: RawConnection;

export function startBeforeTests(): void {
  beforeAll(async () => {
    server = await startTestServer({ flags: ['--anonymous-auth=true', '--authorization-mode=RBAC'] });
  });

  afterAll(() => server[Symbol.asyncDispose]());

  beforeEach(async () => {
    connection = await RawConnection.open(server);
  });

  afterEach(async () => {
    connection[Symbol.dispose]();
    expect((await server.send('GET', '/version')).status).toBe(200);
  });
}

export const admin = 'Authorization: Bearer admintoken';

export const host = 'Host: localhost';

export const ping = 'GET /healthz/ping HTTP/1.1';

export const request = (line: string, ...headers: readonly string[]): string =>
  `${[line, ...headers].join('\r\n')}\r\n\r\n`;
