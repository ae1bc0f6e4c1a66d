/** A client that vanished without a word, with a watch on which nothing happens: only the kernel can find out. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { startTestServer } from '../../support/test-server.ts';

const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');

/**
 * What runs for the server's end of a connection, by number, and in how many seconds it does something
 * (proc_pid_net(5)).
 */
function timerOf(serverPort: number, clientPort: number): { kind: number; seconds: number } {
  const line = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .find((one) => one.includes(`:${hex(serverPort)} `) && one.includes(`:${hex(clientPort)} 01 `))!;
  const [kind, jiffies] = line.trim().split(/\s+/)[5]!.split(':') as [string, string];
  return { kind: parseInt(kind, 16), seconds: parseInt(jiffies, 16) / 100 };
}
const keepalive = 2;

test.skipIf(process.platform !== 'linux')(
  'A connection on which nothing comes is asked after three minutes whether its client still lives',
  async () => {
    await using server = await startTestServer({});
    const session = http2.connect(server.url, { ca: server.ca, servername: 'localhost' });
    const watch = session.request({ ':path': '/api/v1/configmaps?watch=true', authorization: 'Bearer admintoken' });
    await once(watch, 'response');
    const { port } = session.socket.address() as AddressInfo;
    await vi.waitFor(() => {
      const { kind, seconds } = timerOf(Number(new URL(server.url).port), port);
      expect(kind).toBe(keepalive);
      expect(seconds).toBeGreaterThan(150);
      expect(seconds).toBeLessThanOrEqual(180);
    });
    session.destroy();
  },
);
