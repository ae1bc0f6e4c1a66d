/** The way to nodes, and to what runs on them. Its connections end with the server. */
import type { CleanupStack } from '../../base/cleanup-stack.ts';
import { createNodeConnections, type NodeConnections } from '../nodes/connections.ts';
import { dialNodeThrough } from '../nodes/dial-node.ts';
import { createNodeMetrics } from '../nodes/metrics.ts';
import { forwardingOf } from './forwarding.ts';
import type { Resources } from './resources.ts';
import type { SharedDependencies } from './shared-dependencies.ts';

export function openNodeConnections(
  { config, metrics, featureEnabled }: SharedDependencies,
  { registry }: Resources,
  cleanup: CleanupStack,
): NodeConnections {
  const tunnel = config.egress?.dialers.cluster;
  const connections = createNodeConnections({
    config: config.nodes,
    registry,
    forwarding: forwardingOf(config),
    ...(tunnel === undefined ? {} : { dial: dialNodeThrough(tunnel) }),
    featureEnabled,
    metrics: createNodeMetrics(metrics.registry),
  });
  cleanup.add(() => connections.close());
  return connections;
}
