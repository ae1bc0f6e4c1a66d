/** `/healthz` of a node agent without TLS, on a port of its own. */
import type { Logger } from '../../base/logger.ts';
import type { HealthChecks } from '../../server/health.ts';
import { servePlainHealth } from '../../server/plain-health.ts';
import type { GivenFlags } from '../flags/parse.ts';
import { explainListenError } from '../listen-errors.ts';

/** Where another program has the port, the agent goes on without it, unless it was asked for. @returns what ends it */
export async function serveHealthPort(
  { address, port }: { readonly address: string; readonly port: number },
  given: GivenFlags,
  health: HealthChecks,
  log: Logger,
): Promise<() => Promise<void>> {
  if (port === 0) return () => Promise.resolve();
  try {
    const { close } = await servePlainHealth({ address, port }, health, log);
    return close;
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    if (!isTaken || given.has('healthz-port'))
      throw explainListenError(error, { address, port }, 'healthz-port', 'healthz-bind-address');
    log.warn({ port }, 'not serving /healthz without TLS: another program has the port');
    return () => Promise.resolve();
  }
}
