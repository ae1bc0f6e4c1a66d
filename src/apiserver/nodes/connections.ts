/** Subresources that lead to a node, a pod or a service: logs, exec, attach, port-forward, proxy. */
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { ForwardingOptions } from '../aggregation/forwarded-headers.ts';
import type { ConnectHandler } from '../served/served-resource.ts';
import { createFindAgent } from './agent-address.ts';
import { type DialNode, dialNode } from './dial-node.ts';
import type { NodeMetrics } from './metrics.ts';
import { NodeTransport, type NodeTransportOptions } from './node-transport.ts';
import { createReadLog } from './pod-log.ts';
import { createCommand, createPortForward } from './pod-streams.ts';
import { createProxy } from './proxy.ts';
import { createNodeTarget, createServiceTarget, podTarget } from './proxy-targets.ts';
import { throttlingOf } from './throttle.ts';

export interface NodesConfig extends Omit<NodeTransportOptions, 'dial'> {
  /** `--nodeagent-preferred-address-types`: which address of a node to use, best first. */
  readonly preferredAddressTypes: readonly string[];
  /** `--nodeagent-port`: where the agent of a node listens that does not say where. */
  readonly defaultPort: number;
  /** `--max-connection-bytes-per-sec`: of each stream, each way; 0 for no limit. */
  readonly maxStreamBytesPerSecond: number;
}

export interface NodeConnectionsOptions {
  readonly config: NodesConfig;
  readonly registry: Pick<RegistryCatalog, 'storeOf'>;
  /** What callers may not say of themselves to servers behind this one. */
  readonly forwarding: ForwardingOptions;
  /** How connections are opened, if not over the network of this machine. */
  readonly dial?: DialNode;
  readonly featureEnabled: (gate: string) => boolean;
  readonly metrics: NodeMetrics;
}

export interface NodeConnections {
  /** Handlers by `resource/subresource`. */
  readonly handlers: ReadonlyMap<string, ConnectHandler>;
  /** Ends all connections, with what is under way on them. */
  close(): void;
}

export function createNodeConnections({
  config,
  registry,
  forwarding,
  dial = dialNode,
  featureEnabled,
  metrics,
}: NodeConnectionsOptions): NodeConnections {
  const transport = new NodeTransport({ ...config, dial });
  const findAgent = createFindAgent({ ...config, registry });
  const readLog = createReadLog({
    findAgent,
    transport,
    canSelectStream: featureEnabled('PodLogsQuerySplitStreams'),
    observer: metrics.logs,
  });
  const forwarded = { transport, forwarding, throttling: throttlingOf(config.maxStreamBytesPerSecond) };
  const streams = { ...forwarded, findAgent, featureEnabled, metrics };
  const handlers = new Map<string, ConnectHandler>([
    ['pods/log', readLog],
    ['pods/exec', createCommand('exec', streams)],
    ['pods/attach', createCommand('attach', streams)],
    ['pods/portforward', createPortForward(streams)],
    ['pods/proxy', createProxy(podTarget, forwarded)],
    ['services/proxy', createProxy(createServiceTarget(registry), forwarded)],
    ['nodes/proxy', createProxy(createNodeTarget(findAgent), forwarded)],
  ]);
  return { handlers, close: () => transport.close() };
}
