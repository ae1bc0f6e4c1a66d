/**
 * Subresources that lead to a node, a pod or a service: logs, exec, attach, port-forward, proxy.
 *
 * @NOTE differs from upstream: exec, attach and port-forward do not reach the node yet; the answer is 503.
 */
import { badRequest, serviceUnavailable } from '../../machinery/status.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { ForwardingOptions } from '../aggregation/forwarded-headers.ts';
import type { ConnectHandler } from '../served/served-resource.ts';
import { createFindAgent } from './agent-address.ts';
import { type DialNode, dialNode } from './dial-node.ts';
import type { NodeMetrics } from './metrics.ts';
import { NodeTransport, type NodeTransportOptions } from './node-transport.ts';
import { createReadLog } from './pod-log.ts';
import { containerOf, podOf } from './pods.ts';
import { createProxy } from './proxy.ts';
import { createNodeTarget, createServiceTarget, podTarget } from './proxy-targets.ts';

export interface NodesConfig extends Omit<NodeTransportOptions, 'dial'> {
  /** `--nodeagent-preferred-address-types`: which address of a node to use, best first. */
  readonly preferredAddressTypes: readonly string[];
  /** `--nodeagent-port`: where the agent of a node listens that does not say where. */
  readonly defaultPort: number;
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
  const forwarded = { transport, forwarding };
  const streams =
    (readContainer: boolean): ConnectHandler =>
    async (served, request) => {
      const pod = await podOf(served, request);
      if (readContainer) containerOf(pod, request.query.get('container') ?? '');
      if ((pod.spec.nodeName ?? '') === '') throw badRequest(`pod ${pod.metadata.name!} does not have a host assigned`);
      await findAgent(pod.spec.nodeName!, request.info);
      if (request.exchange.upgrade === undefined) throw badRequest('Upgrade request required');
      throw noWayTo(pod.spec.nodeName!);
    };
  const handlers = new Map<string, ConnectHandler>([
    ['pods/log', readLog],
    ['pods/exec', streams(true)],
    ['pods/attach', streams(true)],
    ['pods/portforward', streams(false)],
    ['pods/proxy', createProxy(podTarget, forwarded)],
    ['services/proxy', createProxy(createServiceTarget(registry), forwarded)],
    ['nodes/proxy', createProxy(createNodeTarget(findAgent), forwarded)],
  ]);
  return { handlers, close: () => transport.close() };
}

const noWayTo = (node: string): Error =>
  serviceUnavailable(`no connection to node ${JSON.stringify(node)}: this server has no way to its nodes yet`);
