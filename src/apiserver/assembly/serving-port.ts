import type { CleanupStack } from '../../base/cleanup-stack.ts';
import { reportEvictions } from '../../server/report-evictions.ts';
import { ServingPort } from '../../server/serving-port.ts';
import { longestWatchMs } from '../endpoints/verbs/watch.ts';
import type { SharedDependencies } from './shared-dependencies.ts';

/** Not open yet. */
export function createServingPort({ config, metrics }: SharedDependencies, cleanup: CleanupStack): ServingPort {
  const { address, port, tls, sharePort, maxStreamsPerConnection, ...serving } = config.serving;
  const servingPort = new ServingPort({
    address,
    port,
    tls,
    sharePort,
    maxStreamsPerConnection,
    onHandshakeError: () => metrics.handshakeFailed(),
    onEvict: reportEvictions(config.log, metrics),
    // Clients that are asked to come back over another connection keep the watches that they have.
    leaveTimeoutMs: longestWatchMs(serving.minRequestTimeoutSeconds) + serving.requestTimeoutMs,
  });
  cleanup.add(() => servingPort.close());
  return servingPort;
}
