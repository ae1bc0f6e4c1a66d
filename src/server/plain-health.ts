/** `/healthz` without TLS and authentication, for probes on the same machine. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type HealthChecks, type HealthLog, serveHealth } from './health.ts';
import { notFoundPage } from './not-found-page.ts';

export interface PlainHealth {
  readonly port: number;
  close(): Promise<void>;
}

/** @param at port 0 takes a free one */
export async function servePlainHealth(
  at: { readonly address: string; readonly port: number },
  checks: HealthChecks,
  log: HealthLog,
): Promise<PlainHealth> {
  const server = createServer((request, response) => {
    const left = new AbortController();
    response.once('close', () => left.abort());
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const isHealth = path === '/healthz' || path.startsWith('/healthz/');
    const asked = { query: new URLSearchParams(query), signal: left.signal };
    void (isHealth ? serveHealth('healthz', path, checks, asked, log) : Promise.resolve(notFoundPage)).then((answer) =>
      response
        .writeHead(answer.status, answer.headers as Record<string, string>)
        .end('body' in answer ? answer.body : ''),
    );
  });
  server.listen(at.port, at.address);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
